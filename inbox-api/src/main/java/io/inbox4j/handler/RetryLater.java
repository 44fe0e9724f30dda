package io.inbox4j.handler;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/**
 * Thrown by a handler to request another attempt after a delay of its choice.
 *
 * <pre>{@code
 * throw RetryLater.after(Duration.ofMinutes(5), "the stock service is being upgraded");
 * }</pre>
 *
 * <p>It uses up an attempt: after the policy's last one the message is dead.
 */
public final class RetryLater extends InboxException {

  /** The longest accepted delay. */
  public static final Duration MAX_DELAY = DurationRange.LONGEST;

  private final Duration delay;

  private RetryLater(Duration delay, String reason) {
    super(reason);
    this.delay = delay;
  }

  /** Rolls back what the handler did and calls it again no earlier than after the delay. */
  public static RetryLater after(Duration delay, String reason) {
    return new RetryLater(DurationRange.ANY.check("the delay", delay), reason);
  }

  /** The minimum time to wait. */
  public Duration delay() {
    return delay;
  }
}
