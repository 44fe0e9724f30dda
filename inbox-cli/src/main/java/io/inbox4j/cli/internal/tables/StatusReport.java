package io.inbox4j.cli.internal.tables;

import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.Pause;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The status of the endpoints, from index lookups: it costs the same however much is kept. */
public final class StatusReport {

  /** How many of the last messages rates and lags are computed from. */
  static final int RECENT = 1_000;

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /**
   * The status of an endpoint.
   *
   * @param pending messages to be handled, including those that are not due yet
   * @param oldest how long the oldest due message has been waiting
   * @param received messages per second, in the last minute
   * @param processed messages per second, in the last minute
   * @param lag from storing to the commit, as the 95th percentile of the last messages; null if
   *     there are none
   * @param retrying messages that failed and are retried
   * @param blocked what is due but waits for an earlier message of its ordering key that is not, or
   *     null
   * @param pause who paused the handling, or null
   */
  public record Status(
      String endpoint,
      long pending,
      Duration oldest,
      double received,
      double processed,
      @Nullable Duration lag,
      long retrying,
      long dead,
      long quarantined,
      StoreStatus.@Nullable Blocked blocked,
      @Nullable Pause pause) {

    /** Whether an operator should take a look. */
    public boolean needsSomebody() {
      return dead > 0 || quarantined > 0 || blocked != null || pause != null;
    }
  }

  private record Rate(double perSecond, @Nullable Duration lag) {}

  private record Counts(long retrying, long dead, long quarantined) {}

  private StatusReport() {}

  /** The known endpoints. */
  public static List<String> endpoints(CommandDatabase database) {
    return database.handle.inTransaction(StatusReport::endpoints);
  }

  /** The known endpoints; must be called in a transaction. */
  public static List<String> endpoints(Handle handle) {
    handle.execute(OperatorSql.BY_INDEX);
    return handle
        .createQuery(OperatorSql.ENDPOINTS)
        .bind("exact", Backlog.EXACT)
        .bind("recent", RECENT)
        .mapTo(String.class)
        .list();
  }

  public static List<Status> of(CommandDatabase database) {
    return database.handle.inTransaction(
        handle -> {
          List<String> endpoints = endpoints(handle);
          Map<String, Counts> counts = counts(handle, endpoints);
          Map<String, Rate> received = rates(handle, OperatorSql.RECEIVED);
          Map<String, Rate> processed = rates(handle, OperatorSql.PROCESSED);
          Map<String, StoreStatus.Waiting> waiting =
              database.store.status(endpoints, TIMEOUT).endpoints();
          Rate none = new Rate(0, null);
          return endpoints.stream()
              .map(
                  endpoint ->
                      status(
                          database,
                          endpoint,
                          waiting.get(endpoint),
                          counts.getOrDefault(endpoint, new Counts(0, 0, 0)),
                          received.getOrDefault(endpoint, none),
                          processed.getOrDefault(endpoint, none)))
              .toList();
        });
  }

  private static Status status(
      CommandDatabase database,
      String endpoint,
      StoreStatus.Waiting waiting,
      Counts counts,
      Rate received,
      Rate processed) {
    Backlog backlog = database.store.backlog(endpoint);
    return new Status(
        endpoint,
        backlog.pending(),
        backlog.oldest(),
        received.perSecond,
        processed.perSecond,
        processed.lag,
        counts.retrying,
        counts.dead,
        counts.quarantined,
        waiting.blocked(),
        waiting.pause());
  }

  private static Map<String, Counts> counts(Handle handle, List<String> endpoints) {
    Map<String, Counts> counts = new HashMap<>();
    handle
        .createQuery(OperatorSql.COUNTS)
        .bind("exact", Backlog.EXACT)
        .bind("endpoints", SqlArray.texts(endpoints))
        .map(
            (row, context) ->
                Map.entry(
                    row.getString("endpoint"),
                    new Counts(
                        row.getLong("retrying"), row.getLong("dead"), row.getLong("quarantined"))))
        .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    return counts;
  }

  private static Map<String, Rate> rates(Handle handle, String query) {
    Map<String, Rate> rates = new HashMap<>();
    boolean withLag = query.equals(OperatorSql.PROCESSED);
    handle
        .createQuery(query)
        .bind("recent", RECENT)
        .map(
            (row, context) ->
                Map.entry(
                    row.getString("endpoint"),
                    new Rate(
                        row.getDouble("rate"),
                        withLag ? Duration.ofMillis(row.getLong("lag_millis")) : null)))
        .forEach(entry -> rates.put(entry.getKey(), entry.getValue()));
    return rates;
  }
}
