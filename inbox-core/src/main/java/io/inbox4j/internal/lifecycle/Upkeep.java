package io.inbox4j.internal.lifecycle;

import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.loop.PeriodicTasks;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The small periodic tasks of an inbox, which run while it receives or processes. Started and
 * stopped by one thread at a time.
 */
final class Upkeep {

  private static final Duration MIN_INTERVAL = Duration.ofMillis(500);
  private static final Duration MAX_INTERVAL = Duration.ofSeconds(5);

  private final Duration interval;
  private final List<Runnable> chores;
  private @Nullable PeriodicTasks running;

  Upkeep(List<EndpointConfig> endpoints, List<Runnable> chores) {
    this.interval = interval(endpoints);
    this.chores = List.copyOf(chores);
  }

  /** The shortest poll interval of the endpoints, within limits. */
  private static Duration interval(List<EndpointConfig> endpoints) {
    Duration poll =
        endpoints.stream()
            .map(EndpointConfig::pollInterval)
            .min(Comparator.naturalOrder())
            .orElse(MAX_INTERVAL);
    return poll.compareTo(MIN_INTERVAL) < 0
        ? MIN_INTERVAL
        : poll.compareTo(MAX_INTERVAL) > 0 ? MAX_INTERVAL : poll;
  }

  /** Starts them, unless they are running. */
  void start() {
    if (running == null) {
      PeriodicTasks started = new PeriodicTasks(interval, chores);
      started.start();
      running = started;
    }
  }

  /** Stops them, if they are running. */
  void stop() {
    if (running != null) {
      running.close();
      running = null;
    }
  }
}
