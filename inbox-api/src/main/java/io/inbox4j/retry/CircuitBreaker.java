package io.inbox4j.retry;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/**
 * When a subscription rests because most of its messages fail, and for how long. Immutable.
 *
 * <p>After the pause one message is tried: if it succeeds all goes on, if it fails the subscription
 * rests again. Messages that wait use up no attempt.
 *
 * @param failureRate which part of the attempts has to fail, above 0 and up to 1
 * @param minMessages how many attempts it takes to judge
 * @param window over which time they are counted, 1 ms to 1 day
 * @param pause how long the subscription rests, 1 ms to 1 day
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

  /** Half of at least 20 attempts within a minute; rests for 30 s. */
  public static CircuitBreaker ofDefaults() {
    return new CircuitBreaker(0.5, 20, Duration.ofMinutes(1), Duration.ofSeconds(30));
  }

  /** The same with another part that has to fail. */
  public CircuitBreaker failureRate(double rate) {
    return new CircuitBreaker(rate, minMessages, window, pause);
  }

  /** The same with another number of attempts that it takes to judge. */
  public CircuitBreaker minMessages(int count) {
    return new CircuitBreaker(failureRate, count, window, pause);
  }

  /** The same with attempts counted over another time. */
  public CircuitBreaker window(Duration time) {
    return new CircuitBreaker(failureRate, minMessages, time, pause);
  }

  /** The same with another pause. */
  public CircuitBreaker pause(Duration time) {
    return new CircuitBreaker(failureRate, minMessages, window, time);
  }
}
