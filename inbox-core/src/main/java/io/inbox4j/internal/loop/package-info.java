/** Loops that survive everything they run, the delays between attempts, and deadlines. */
@NullMarked
package io.inbox4j.internal.loop;

import org.jspecify.annotations.NullMarked;
