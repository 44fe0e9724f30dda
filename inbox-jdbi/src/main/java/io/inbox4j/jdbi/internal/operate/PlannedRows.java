package io.inbox4j.jdbi.internal.operate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.statement.Query;

/** The planner's estimate of how many rows a query has: it knows sizes and frequencies. */
final class PlannedRows {

  private static final Pattern ESTIMATE = Pattern.compile("rows=(\\d+)");

  private PlannedRows() {}

  /** Reads the first line of an {@code EXPLAIN}. */
  static long of(Query explain) {
    Matcher rows = ESTIMATE.matcher(explain.mapTo(String.class).list().get(0));
    return rows.find() ? Long.parseLong(rows.group(1)) : 0;
  }
}
