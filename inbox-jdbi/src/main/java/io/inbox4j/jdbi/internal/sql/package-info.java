/** All statements, SQLSTATE classification and migrations. */
@NullMarked
package io.inbox4j.jdbi.internal.sql;

import org.jspecify.annotations.NullMarked;
