package io.inbox4j.jdbi.internal.retain;

import java.time.Duration;

/**
 * The size of a step and the pause after it: steps stay short whatever the size of the rows, and
 * five sixths of the time are left to others.
 */
final class RetentionPacing {

  private static final int FIRST = 16;
  private static final int MAX = 1_000;
  private static final long SHORT_NANOS = Duration.ofMillis(40).toNanos();
  private static final long LONG_NANOS = Duration.ofMillis(150).toNanos();
  private static final long MAX_REST_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int REST = 5;

  private int limit = FIRST;

  /** Maximum number of rows for the next step. */
  int limit() {
    return limit;
  }

  /** Pauses after a step that took this long; returns false if the thread was interrupted. */
  boolean rest(long tookNanos) {
    if (tookNanos < SHORT_NANOS) {
      limit = Math.min(MAX, limit * 2);
    } else if (tookNanos > LONG_NANOS) {
      limit = Math.max(1, limit / 2);
    }
    return sleep(Math.min(MAX_REST_NANOS, tookNanos * REST));
  }

  static boolean sleep(long nanos) {
    try {
      Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
