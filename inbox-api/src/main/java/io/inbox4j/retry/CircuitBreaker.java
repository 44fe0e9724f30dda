package io.inbox4j.retry;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/**
 * The circuit breaker of a subscription: when it pauses because most of its messages fail, and for
 * how long. Immutable.
 *
 * <p>After the pause the circuit is half-open and one message is tried: if it succeeds, handling
 * resumes; if it fails, the subscription pauses again. Messages that wait use up no attempt.
 *
 * @param failureRate the fraction of attempts that has to fail, above 0 and up to 1
 * @param minMessages the minimum number of attempts to judge by
 * @param window the time over which attempts are counted, 1 ms to 1 day
 * @param pause how long the subscription pauses, 1 ms to 1 day
 */
public record CircuitBreaker(double failureRate, int minMessages, Duration window, Duration pause) {

  private static final DurationRange TIMES = DurationRange.upTo(Duration.ofDays(1));

  public CircuitBreaker {
    if (!(failureRate > 0 && failureRate <= 1)) {
      throw new IllegalArgumentException(
          "the failure rate is %s; expected a part above 0 and up to 1".formatted(failureRate));
    }
    if (minMessages < 1) {
      throw new IllegalArgumentException(
          "the number of messages is %d; expected at least 1".formatted(minMessages));
    }
    TIMES.check("the window", window);
    TIMES.check("the pause", pause);
  }

  /** Opens when half of at least 20 attempts within a minute fail; pauses for 30 s. */
  public static CircuitBreaker ofDefaults() {
    return new CircuitBreaker(0.5, 20, Duration.ofMinutes(1), Duration.ofSeconds(30));
  }

  /** Returns a copy with this failure rate. */
  public CircuitBreaker failureRate(double rate) {
    return new CircuitBreaker(rate, minMessages, window, pause);
  }

  /** Returns a copy with this minimum number of attempts. */
  public CircuitBreaker minMessages(int count) {
    return new CircuitBreaker(failureRate, count, window, pause);
  }

  /** Returns a copy with this window. */
  public CircuitBreaker window(Duration time) {
    return new CircuitBreaker(failureRate, minMessages, time, pause);
  }

  /** Returns a copy with this pause. */
  public CircuitBreaker pause(Duration time) {
    return new CircuitBreaker(failureRate, minMessages, window, time);
  }
}
