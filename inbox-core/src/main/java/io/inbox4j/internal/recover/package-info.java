/** Runs messages that were in flight when a worker died: together first, then in isolation. */
@NullMarked
package io.inbox4j.internal.recover;

import org.jspecify.annotations.NullMarked;
