/** Outgoing messages: publishing, reading what is to be sent, and the relay's lease. */
@NullMarked
package io.inbox4j.jdbi.internal.outbox;

import org.jspecify.annotations.NullMarked;
