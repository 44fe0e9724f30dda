package io.inbox4j.health;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Vitals;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks the store how it is, and remembers what it said; others never wait for the answer. */
final class StoreWatch {

  /** After this time without an answer the store counts as gone. */
  static final Duration PATIENCE = Duration.ofSeconds(3);

  /** A question ends after this time, so that a new one can find a server that is back. */
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Duration MIN_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);
  private static final int PAUSE_PER_TIME = 20;
  private static final int MAX_LINE = 300;

  private final InboxStore store;
  private volatile State state = new State(null, null, Duration.ZERO, System.nanoTime(), null);

  /**
   * @param vitals the last answer
   * @param failure what came in place of a newer answer
   * @param took how long the last answer took, or the failure
   * @param answeredAt when the last answer came, as {@link System#nanoTime}
   * @param askedAt since when an answer is waited for
   */
  private record State(
      @Nullable Vitals vitals,
      @Nullable String failure,
      Duration took,
      long answeredAt,
      @Nullable Long askedAt) {}

  StoreWatch(InboxStore store) {
    this.store = store;
  }

  /** Asks, and waits for the answer. */
  void ask(Collection<String> endpoints) {
    State before = state;
    long begin = System.nanoTime();
    state = new State(before.vitals, before.failure, before.took, before.answeredAt, begin);
    try {
      Vitals vitals = store.vitals(endpoints, TIMEOUT);
      state = new State(vitals, null, since(begin), System.nanoTime(), null);
    } catch (Throwable e) { // is what is found
      state = new State(before.vitals, text(e), since(begin), before.answeredAt, null);
    }
  }

  /** When to ask again: an answer that takes long is asked for less often. */
  Duration pause() {
    Duration pause = state.took.multipliedBy(PAUSE_PER_TIME);
    return pause.compareTo(MIN_PAUSE) < 0
        ? MIN_PAUSE
        : pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
  }

  /** How the database is. */
  Finding database() {
    State now = state;
    String silence = silence(now);
    if (silence != null) {
      return Finding.down(silence + (now.failure == null ? "" : "; before that: " + now.failure));
    }
    if (now.failure != null) {
      return Finding.down(now.failure);
    }
    if (now.vitals == null) {
      return Finding.up("was opened");
    }
    return now.vitals.readOnly()
        ? Finding.down("is read-only: nothing can be stored or handled")
        : Finding.up("answers in %d ms".formatted(now.took.toMillis()));
  }

  /** What the last answer says; while there is no newer one it stands, and says so. */
  Finding of(Function<Vitals, Finding> what) {
    State now = state;
    if (now.vitals == null) {
      return Finding.up("not known yet");
    }
    Finding found = what.apply(now.vitals);
    return now.failure == null && silence(now) == null
        ? found
        : new Finding(
            found.status(),
            "not known for %s; before that: %s"
                .formatted(Finding.seconds(since(now.answeredAt)), found.detail()));
  }

  private static @Nullable String silence(State now) {
    if (now.askedAt == null || since(now.askedAt).compareTo(PATIENCE) < 0) {
      return null;
    }
    return "no answer for " + Finding.seconds(since(now.askedAt));
  }

  private static Duration since(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime);
  }

  /** What it says, and what the first of its causes says if that is something else. */
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
