package io.inbox4j.internal.process;

import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.store.WorkStore;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for messages that nobody has announced, for all endpoints of the process with one query,
 * and wakes a worker where there may be one.
 *
 * <p>Where the query fails or takes long, a worker of every endpoint is woken and looks for itself.
 */
final class DuePoller {

  private static final Logger log = LoggerFactory.getLogger(DuePoller.class);
  private static final Duration QUICK = Duration.ofMillis(100);
  private static final int REST = 10;

  private final WorkStore store;
  private final Map<String, Duration> intervals;
  private final Consumer<String> wake;
  private final Map<String, Deadline> next = new HashMap<>();
  private final BackgroundLoop loop =
      new BackgroundLoop("inbox-poll", "Looking for messages", this::look);
  private Deadline slowUntil = Deadline.in(Duration.ZERO);

  /**
   * @param intervals how often to look, by endpoint
   * @param wake wakes a worker of an endpoint
   */
  DuePoller(WorkStore store, Map<String, Duration> intervals, Consumer<String> wake) {
    this.store = store;
    this.intervals = Map.copyOf(intervals);
    this.wake = wake;
    this.intervals.forEach((endpoint, interval) -> next.put(endpoint, Deadline.in(interval)));
  }

  DuePoller start() {
    if (!intervals.isEmpty()) {
      loop.start();
    }
    return this;
  }

  /** Ends it, without waiting for the store. */
  void close() {
    loop.interrupt();
  }

  private void look(BackgroundLoop self) throws InterruptedException {
    Set<String> now =
        next.entrySet().stream()
            .filter(entry -> entry.getValue().hasPassed())
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    if (!now.isEmpty()) {
      Set<String> due = dueAt(now);
      now.forEach(endpoint -> next.put(endpoint, Deadline.in(intervals.get(endpoint))));
      due.forEach(wake);
    }
    Deadline first = next.values().stream().min(Comparator.comparing(Deadline::left)).orElseThrow();
    self.pause(first.left());
  }

  private Set<String> dueAt(Set<String> endpoints) {
    if (!slowUntil.hasPassed()) {
      return endpoints;
    }
    long begin = System.nanoTime();
    try {
      return store.dueAt(endpoints);
    } catch (RuntimeException e) { // their workers report it
      log.debug("It is not known where messages are due: {}", LoggedFailure.summary(e));
      return endpoints;
    } finally {
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      if (took.compareTo(QUICK) > 0) {
        slowUntil = Deadline.in(took.multipliedBy(REST));
      }
    }
  }
}
