package io.inbox4j.listener;

import java.time.Duration;

/**
 * The messages of an endpoint that are still to be handled.
 *
 * @param pending how many messages are pending, including those not due yet; above {@link #EXACT}
 *     an estimate, and never less than that
 * @param oldest for how long the longest-waiting message has been due; zero if none is due
 */
public record Backlog(long pending, Duration oldest) {

  /** Up to this number the count is exact. */
  public static final int EXACT = 10_000;
}
