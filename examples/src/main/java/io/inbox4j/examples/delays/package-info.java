/** Messages that are handled later. */
@NullMarked
package io.inbox4j.examples.delays;

import org.jspecify.annotations.NullMarked;
