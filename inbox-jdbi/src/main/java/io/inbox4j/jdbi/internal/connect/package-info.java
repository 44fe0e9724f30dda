/** Connections: the pool, server sessions and joined transactions. */
@NullMarked
package io.inbox4j.jdbi.internal.connect;

import org.jspecify.annotations.NullMarked;
