package io.inbox4j.cli.internal.tables;

import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.jdbi.internal.operate.EndpointQueries.Counts;
import io.inbox4j.jdbi.internal.operate.EndpointQueries.Rate;
import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.Pause;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status of the endpoints, from index lookups: it costs the same however much is kept. */
public final class StatusReport {

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

  private StatusReport() {}

  public static List<Status> of(CommandDatabase database) {
    return database.handle.inTransaction(
        handle -> {
          List<String> endpoints = EndpointQueries.all(handle);
          Map<String, Counts> counts = EndpointQueries.counts(handle, endpoints);
          Map<String, Rate> received = EndpointQueries.received(handle);
          Map<String, Rate> processed = EndpointQueries.processed(handle);
          Map<String, StoreStatus.Waiting> waiting =
              database.store.status(endpoints, TIMEOUT).endpoints();
          return endpoints.stream()
              .map(
                  endpoint ->
                      status(
                          database,
                          endpoint,
                          waiting.get(endpoint),
                          counts.getOrDefault(endpoint, Counts.NONE),
                          received.getOrDefault(endpoint, Rate.NONE),
                          processed.getOrDefault(endpoint, Rate.NONE)))
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
        received.perSecond(),
        processed.perSecond(),
        processed.lag(),
        counts.retrying(),
        counts.dead(),
        counts.quarantined(),
        waiting.blocked(),
        waiting.pause());
  }
}
