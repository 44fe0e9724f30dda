/** The store on PostgreSQL; the way in is {@link io.inbox4j.jdbi.JdbiInboxStore#create}. */
@NullMarked
package io.inbox4j.jdbi;

import org.jspecify.annotations.NullMarked;
