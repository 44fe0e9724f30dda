package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.operations.Retention;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long the messages of endpoints are kept: the longest retention that any process declares.
 *
 * @param endpoints the endpoints that a run is requested for, in addition to declared ones
 * @param retention the requested retention
 * @param force whether the request overrides what is declared for these endpoints
 */
public record RetentionPolicies(Set<String> endpoints, Retention retention, boolean force) {

  private static final Logger log = LoggerFactory.getLogger(RetentionPolicies.class);

  /** Only what running processes declare. */
  public static RetentionPolicies declared() {
    return new RetentionPolicies(Set.of(), Retention.forever(), false);
  }

  /** Declares the retention that a running process wants. */
  public static int declare(Handle handle, Collection<String> endpoints, Retention retention) {
    return handle
        .createUpdate(RetentionSql.DECLARE)
        .bind("endpoints", PgArray.texts(List.copyOf(endpoints), Function.identity()))
        .bind("keep", new Interval(retention.keep()))
        .bind("dedupWindow", new Interval(retention.dedupWindow()))
        .bind("archive", new Interval(retention.archive()))
        .bind("history", new Interval(retention.history()))
        .execute();
  }

  /** Drops declarations that have not been renewed for a long time. */
  static void forgetGone(Handle transaction) {
    transaction.createUpdate(RetentionSql.NOTE_MISSED).execute();
    List<String> gone =
        transaction.createQuery(RetentionSql.FORGET_MISSED).mapTo(String.class).list();
    if (!gone.isEmpty()) {
      log.info("What nobody has asked for since yesterday counts no longer: {}", gone);
    }
  }

  /** The current retention of every endpoint that has something to remove. */
  Map<String, Retention> now(Handle handle) {
    Map<String, Retention> kept = longest(handle);
    kept.values().removeIf(Retention::isForever);
    return kept;
  }

  /** The retention of every known endpoint. */
  public Map<String, Retention> longest(Handle handle) {
    Map<String, Retention> longest = new TreeMap<>();
    endpoints.forEach(endpoint -> longest.put(endpoint, retention));
    handle
        .createQuery(RetentionSql.DECLARED)
        .map(
            (row, context) ->
                longest.merge(row.getString("endpoint"), read(row), Retention::orLonger))
        .list();
    if (force) {
      endpoints.forEach(endpoint -> longest.put(endpoint, retention));
    }
    return longest;
  }

  /** A declaration that this version does not understand keeps the messages. */
  private static Retention read(ResultSet row) throws SQLException {
    try {
      return new Retention(
          seconds(row, "keep"),
          seconds(row, "dedup_window"),
          seconds(row, "archive"),
          seconds(row, "history"));
    } catch (IllegalArgumentException e) {
      log.warn("The messages of {} are kept: {}", row.getString("endpoint"), e.getMessage());
      return Retention.forever();
    }
  }

  private static @Nullable Duration seconds(ResultSet row, String column) throws SQLException {
    long seconds = row.getLong(column);
    return row.wasNull() ? null : Duration.ofSeconds(seconds);
  }
}
