package io.inbox4j.retry;

import java.time.Duration;

/**
 * When a subscription rests because most of its messages fail, and for how long. Immutable.
 *
 * <p>After the pause one message is tried: if it succeeds all goes on, if it fails the subscription
 * rests again. Messages that wait use up no attempt.
 *
 * @param failureRate which part of the attempts has to fail, above 0 and up to 1
 * @param minMessages how many attempts it takes to judge
 * @param window over which time they are counted
 * @param pause how long the subscription rests
 */
public record CircuitBreaker(double failureRate, int minMessages, Duration window, Duration pause) {

  public CircuitBreaker {
    if (!(failureRate > 0 && failureRate <= 1)) {
      throw new IllegalArgumentException(
          "the failure rate is %s; expected a part above 0 and up to 1".formatted(failureRate));
    }
    if (minMessages < 1) {
      throw new IllegalArgumentException(
          "the number of messages is %d; expected at least 1".formatted(minMessages));
    }
    requirePositive("window", window);
    requirePositive("pause", pause);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isZero() || value.isNegative() || value.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "the %s is %s; expected more than zero and up to a day".formatted(name, value));
    }
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
