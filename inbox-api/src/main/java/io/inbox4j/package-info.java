/**
 * The entry: {@link io.inbox4j.Inbox} and its builder, the event interface, ids, the listener,
 * errors.
 */
@NullMarked
package io.inbox4j;

import org.jspecify.annotations.NullMarked;
