package io.inbox4j.retry;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/** The decision of a {@link RetryPolicy} about a failed attempt. */
public sealed interface RetryDecision {

  /** Try again, no earlier than after the delay. */
  record RetryAfter(Duration delay) implements RetryDecision {

    public RetryAfter {
      DurationRange.ANY.check("the delay", delay);
    }
  }

  /** Keep the message as dead, with this reason. */
  record GiveUp(String reason) implements RetryDecision {}
}
