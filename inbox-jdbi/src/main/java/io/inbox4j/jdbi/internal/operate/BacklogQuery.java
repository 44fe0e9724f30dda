package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.listener.Backlog;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;

/**
 * Queries what is pending. It reads only the indexes of the pending table and counts a limited
 * number of rows, and a statement timeout ends it if it takes long nevertheless.
 */
public final class BacklogQuery {

  private static final Pattern ESTIMATE = Pattern.compile("rows=(\\d+)");

  private BacklogQuery() {}

  /** Must be called in a transaction. */
  public static Backlog of(Handle handle, String endpoint) {
    handle.execute(Sql.SHORT_TIMEOUT);
    handle.execute(Sql.BY_INDEX);
    Backlog counted =
        handle
            .createQuery(Sql.BACKLOG)
            .bind("endpoint", endpoint)
            .bind("exact", Backlog.EXACT)
            .map(
                (rs, context) ->
                    new Backlog(
                        rs.getLong("pending"), Duration.ofMillis(rs.getLong("oldest_millis"))))
            .one();
    return counted.pending() < Backlog.EXACT
        ? counted
        : new Backlog(Math.max(Backlog.EXACT, estimate(handle, endpoint)), counted.oldest());
  }

  /** The planner's estimate: it knows the size of the table and how common an endpoint is. */
  private static long estimate(Handle handle, String endpoint) {
    String plan =
        handle
            .createQuery(Sql.ESTIMATE_PENDING)
            .bind("endpoint", endpoint)
            .mapTo(String.class)
            .list()
            .get(0);
    Matcher rows = ESTIMATE.matcher(plan);
    return rows.find() ? Long.parseLong(rows.group(1)) : 0;
  }
}
