/**
 * All statements, by what they do, SQLSTATE classification and migrations. A statement can be
 * pasted into psql once <code>{inbox}</code> is replaced by the schema.
 */
@NullMarked
package io.inbox4j.jdbi.internal.sql;

import org.jspecify.annotations.NullMarked;
