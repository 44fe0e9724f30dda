/** Opens, starts and closes an inbox. */
@NullMarked
package io.inbox4j.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
