package io.inbox4j.retry;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/** How the delay grows from one attempt to the next. */
record Backoff(Duration first, double factor, Duration cap, double jitter) {

  Backoff {
    DurationRange.ANY.check("delay", first);
    require(factor >= 1 && factor <= 1_000, "factor", factor, "1 to 1000");
    require(cap.compareTo(first) >= 0, "maxDelay", cap, "at least the first delay of " + first);
    DurationRange.ANY.check("maxDelay", cap);
    require(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
  }

  /** The delay after the given attempt; the random number between 0 and 1 determines the jitter. */
  Duration after(int attempt, double random) {
    double nanos =
        Math.min(first.toNanos() * Math.pow(factor, attempt - 1.0), (double) cap.toNanos());
    double spread = 1 + jitter * (2 * random - 1);
    return Duration.ofNanos(
        (long) Math.min(nanos * spread, (double) DurationRange.LONGEST.toNanos()));
  }

  static void require(boolean holds, String option, Object given, String accepted) {
    if (!holds) {
      throw new IllegalArgumentException(
          "%s is %s; expected %s".formatted(option, given, accepted));
    }
  }
}
