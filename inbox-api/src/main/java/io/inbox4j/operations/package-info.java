/** What a person does with messages that were given up on. */
@NullMarked
package io.inbox4j.operations;

import org.jspecify.annotations.NullMarked;
