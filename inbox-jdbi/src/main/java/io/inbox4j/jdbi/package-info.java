/** The PostgreSQL store; the entry point is {@link io.inbox4j.jdbi.JdbiInboxStore#create}. */
@NullMarked
package io.inbox4j.jdbi;

import org.jspecify.annotations.NullMarked;
