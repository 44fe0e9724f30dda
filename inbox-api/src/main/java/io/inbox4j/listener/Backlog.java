package io.inbox4j.listener;

import java.time.Duration;

/**
 * What is still to be handled at an endpoint.
 *
 * @param pending how many messages are pending, those that are not due yet included; above {@link
 *     #EXACT} an estimate, and never less than that
 * @param oldest for how long the message that waits longest has been due; zero if none is
 */
public record Backlog(long pending, Duration oldest) {

  /** Up to this many are counted one by one. */
  public static final int EXACT = 10_000;
}
