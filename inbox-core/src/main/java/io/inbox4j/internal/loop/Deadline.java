package io.inbox4j.internal.loop;

import java.time.Duration;
import java.util.List;

/**
 * The end of the time that may be waited.
 *
 * @param nanoTime as {@link System#nanoTime}
 */
public record Deadline(long nanoTime) {

  public static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** The time that is left; zero when it has passed. */
  public Duration left() {
    return Duration.ofNanos(Math.max(0, nanoTime - System.nanoTime()));
  }

  public boolean hasPassed() {
    return nanoTime - System.nanoTime() <= 0;
  }

  /** Waits until the threads have ended; returns whether they all have. */
  public boolean join(List<Thread> threads) {
    return threads.stream().map(this::join).reduce(true, Boolean::logicalAnd);
  }

  /** Waits until the thread has ended; returns whether it has. */
  public boolean join(Thread thread) {
    try {
      thread.join(Math.max(1, left().toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
