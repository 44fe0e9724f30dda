package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.MigrationSql;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.listener.Backlog;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Queries about endpoints for operators, from index lookups: they cost the same however much is
 * kept. All but the version need a transaction.
 */
public final class EndpointQueries {

  /** How many of the last messages rates and lags are computed from. */
  public static final int RECENT = 1_000;

  /** How many messages of an endpoint need attention, each counted up to a limit. */
  public record Counts(long retrying, long dead, long quarantined) {

    public static final Counts NONE = new Counts(0, 0, 0);
  }

  /**
   * The throughput in the last minute.
   *
   * @param lag from storing to the commit, as the 95th percentile of the last messages, or null
   */
  public record Rate(double perSecond, @Nullable Duration lag) {

    public static final Rate NONE = new Rate(0, null);
  }

  private EndpointQueries() {}

  /** The version of the tables; 0 if there are none. */
  public static int version(Handle handle) {
    return handle.createQuery(MigrationSql.HAS_MIGRATIONS).mapTo(Boolean.class).one()
        ? handle.createQuery(OperatorSql.VERSION).mapTo(Integer.class).one()
        : 0;
  }

  /** The known endpoints. */
  public static List<String> all(Handle handle) {
    handle.execute(OperatorSql.BY_INDEX_ONLY);
    return handle
        .createQuery(OperatorSql.ENDPOINTS)
        .bind("exact", Backlog.EXACT)
        .bind("recent", RECENT)
        .mapTo(String.class)
        .list();
  }

  public static Map<String, Counts> counts(Handle handle, List<String> endpoints) {
    handle.execute(OperatorSql.BY_INDEX_ONLY);
    Map<String, Counts> counts = new HashMap<>();
    handle
        .createQuery(OperatorSql.COUNTS)
        .bind("exact", Backlog.EXACT)
        .bind("endpoints", PgArray.texts(endpoints, Function.identity()))
        .map(
            (row, context) ->
                counts.put(
                    row.getString("endpoint"),
                    new Counts(
                        row.getLong("retrying"), row.getLong("dead"), row.getLong("quarantined"))))
        .list();
    return counts;
  }

  public static Map<String, Rate> received(Handle handle) {
    return rates(handle, OperatorSql.RECEIVED);
  }

  public static Map<String, Rate> processed(Handle handle) {
    return rates(handle, OperatorSql.PROCESSED);
  }

  private static Map<String, Rate> rates(Handle handle, String query) {
    handle.execute(OperatorSql.BY_INDEX_ONLY);
    Map<String, Rate> rates = new HashMap<>();
    handle
        .createQuery(query)
        .bind("recent", RECENT)
        .map(
            (row, context) -> {
              Long lag = row.getObject("lag_millis", Long.class);
              return rates.put(
                  row.getString("endpoint"),
                  new Rate(row.getDouble("rate"), lag == null ? null : Duration.ofMillis(lag)));
            })
        .list();
    return rates;
  }
}
