/** Queries on the tables that do not get in the way of workers. */
@NullMarked
package io.inbox4j.cli.internal.tables;

import org.jspecify.annotations.NullMarked;
