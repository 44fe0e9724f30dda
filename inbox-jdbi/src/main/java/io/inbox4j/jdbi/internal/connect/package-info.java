/** Connections: the pool, sessions, and transactions of the caller. */
@NullMarked
package io.inbox4j.jdbi.internal.connect;

import org.jspecify.annotations.NullMarked;
