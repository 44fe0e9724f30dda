package io.inbox4j.retry;

import io.inbox4j.handler.RetryLater;
import java.time.Duration;

/** How the delay grows from one attempt to the next. */
record Backoff(Duration first, double factor, Duration cap, double jitter) {

  private static final String ACCEPTED = "zero to " + RetryLater.MAX_DELAY.toDays() + " days";

  Backoff {
    require(isCountable(first), "delay", first, ACCEPTED);
    require(factor >= 1 && factor <= 1_000, "factor", factor, "1 to 1000");
    require(cap.compareTo(first) >= 0, "maxDelay", cap, "at least the first delay of " + first);
    require(isCountable(cap), "maxDelay", cap, ACCEPTED);
    require(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
  }

  private static boolean isCountable(Duration delay) {
    return !delay.isNegative() && delay.compareTo(RetryLater.MAX_DELAY) <= 0;
  }

  /** The delay after the given attempt, with a random number between 0 and 1 for the jitter. */
  Duration after(int attempt, double random) {
    double nanos =
        Math.min(first.toNanos() * Math.pow(factor, attempt - 1.0), (double) cap.toNanos());
    double spread = 1 + jitter * (2 * random - 1);
    return Duration.ofNanos((long) (nanos * spread));
  }

  static void require(boolean holds, String option, Object given, String accepted) {
    if (!holds) {
      throw new IllegalArgumentException(
          "%s is %s; expected %s".formatted(option, given, accepted));
    }
  }
}
