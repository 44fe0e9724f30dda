package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.listener.Backlog;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/**
 * Queries what is pending. It reads only the indexes of the pending table and counts a limited
 * number of rows, and a statement timeout ends it if it takes long nevertheless.
 */
public final class BacklogQuery {

  private BacklogQuery() {}

  /** Must be called in a transaction. */
  public static Backlog of(Handle handle, String endpoint) {
    handle.execute(OperatorSql.SHORT_TIMEOUT);
    handle.execute(SessionSql.BY_INDEX);
    Backlog counted =
        handle
            .createQuery(OperatorSql.BACKLOG)
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

  private static long estimate(Handle handle, String endpoint) {
    return PlannedRows.of(
        handle.createQuery(OperatorSql.ESTIMATE_PENDING).bind("endpoint", endpoint));
  }
}
