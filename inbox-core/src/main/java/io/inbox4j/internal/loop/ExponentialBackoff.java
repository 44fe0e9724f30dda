package io.inbox4j.internal.loop;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The delays between failing attempts: each is twice as long as the one before, up to a maximum.
 * Used by one thread.
 */
public final class ExponentialBackoff {

  private final Duration first;
  private final Duration max;
  private Duration next;

  public ExponentialBackoff(Duration first, Duration max) {
    this.first = first;
    this.max = max;
    this.next = first;
  }

  /** Returns the delay before the next attempt. */
  public Duration next() {
    Duration delay = next;
    Duration twice = delay.multipliedBy(2);
    next = twice.compareTo(max) < 0 ? twice : max;
    return delay;
  }

  /** Starts over with the first delay, after an attempt that succeeded. */
  public void reset() {
    next = first;
  }

  /** Returns 0.5 to 1.5 times this long, so that processes do not all act at once. */
  public static Duration jittered(Duration about) {
    double factor = 0.5 + ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (about.toNanos() * factor));
  }
}
