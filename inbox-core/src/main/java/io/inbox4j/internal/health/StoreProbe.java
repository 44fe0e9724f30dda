package io.inbox4j.internal.health;

import io.inbox4j.store.StatusStore;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Queries the status of the store and caches the answer, so that others never wait for it. */
final class StoreProbe {

  /** After this time without an answer the store counts as down. */
  static final Duration PATIENCE = Duration.ofSeconds(3);

  /** The timeout of a query, so that the next one can reach a server that is back. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Duration MIN_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);
  private static final int PAUSE_PER_TIME = 100;
  private static final int MAX_LINE = 300;

  private final StatusStore store;
  private volatile State state = new State(null, null, Duration.ZERO, System.nanoTime(), null);

  /**
   * @param status the last answer
   * @param failure the failure since the last answer, or null
   * @param took how long the last answer, or the failure, took
   * @param answeredAt when the last answer came, as {@link System#nanoTime}
   * @param askedAt when the pending query began, or null if there is none
   */
  private record State(
      @Nullable StoreStatus status,
      @Nullable String failure,
      Duration took,
      long answeredAt,
      @Nullable Long askedAt) {}

  StoreProbe(StatusStore store) {
    this.store = store;
  }

  /** Queries the store, and waits for the answer. */
  void ask(Collection<String> endpoints) {
    State before = state;
    long begin = System.nanoTime();
    state = new State(before.status, before.failure, before.took, before.answeredAt, begin);
    try {
      StoreStatus status = store.status(endpoints, TIMEOUT);
      state = new State(status, null, since(begin), System.nanoTime(), null);
    } catch (Throwable e) { // the failure is the finding
      state = new State(before.status, text(e), since(begin), before.answeredAt, null);
    }
  }

  /** The pause until the next query: the slower the answers, the fewer the queries. */
  Duration pause() {
    Duration pause = state.took.multipliedBy(PAUSE_PER_TIME);
    return pause.compareTo(MIN_PAUSE) < 0
        ? MIN_PAUSE
        : pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
  }

  /** The health of the database. */
  HealthFinding database() {
    State now = state;
    String silence = silence(now);
    if (silence != null) {
      return HealthFinding.down(
          silence + (now.failure == null ? "" : "; before that: " + now.failure));
    }
    if (now.failure != null) {
      return HealthFinding.down(now.failure);
    }
    if (now.status == null) {
      return HealthFinding.up("was opened");
    }
    return now.status.readOnly()
        ? HealthFinding.down("is read-only: nothing can be stored or handled")
        : HealthFinding.up("answers in %d ms".formatted(now.took.toMillis()));
  }

  /** A finding from the last answer; if that is outdated, the detail says so. */
  HealthFinding of(Function<StoreStatus, HealthFinding> what) {
    State now = state;
    if (now.status == null) {
      return HealthFinding.up("not known yet");
    }
    HealthFinding found = what.apply(now.status);
    return now.failure == null && silence(now) == null
        ? found
        : new HealthFinding(
            found.status(),
            "not known for %s; before that: %s"
                .formatted(HealthFinding.seconds(since(now.answeredAt)), found.detail()));
  }

  private static @Nullable String silence(State now) {
    if (now.askedAt == null || since(now.askedAt).compareTo(PATIENCE) < 0) {
      return null;
    }
    return "no answer for " + HealthFinding.seconds(since(now.askedAt));
  }

  private static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  /** The message of the failure, and that of its root cause if it is different. */
  private static String text(Throwable failure) {
    Throwable first = failure;
    for (int depth = 0; first.getCause() != null && depth < 100; depth++) {
      first = first.getCause();
    }
    String all = line(failure);
    return all.contains(line(first)) ? all : all + ": " + line(first);
  }

  private static String line(Throwable failure) {
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String line = message.lines().findFirst().orElse("");
    return line.length() > MAX_LINE ? line.substring(0, MAX_LINE) + " …" : line;
  }
}
