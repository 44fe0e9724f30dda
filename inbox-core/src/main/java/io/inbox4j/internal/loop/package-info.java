/** Loops that survive everything they run. */
@NullMarked
package io.inbox4j.internal.loop;

import org.jspecify.annotations.NullMarked;
