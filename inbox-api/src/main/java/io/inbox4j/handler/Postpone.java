package io.inbox4j.handler;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.DurationRange;
import java.time.Duration;
import java.time.Instant;

/**
 * Thrown by a handler when it is too early to handle the message.
 *
 * <pre>{@code
 * throw Postpone.until(event.validFrom(), "not valid yet");
 * }</pre>
 *
 * <p>Unlike {@link RetryLater} it is not a failure and does not use up an attempt.
 */
public final class Postpone extends InboxException {

  private static final Instant MAX_TIME = Instant.parse("9999-12-31T23:59:59Z");

  private final When when;

  /** A point in time, or a delay from now by the database's clock. */
  public sealed interface When {

    /** At this time. */
    record At(Instant time) implements When {}

    /** After this long. */
    record After(Duration delay) implements When {

      public After {
        DurationRange.ANY.check("the delay", delay);
      }
    }
  }

  private Postpone(When when, String reason) {
    super(reason);
    this.when = when;
  }

  /** Rolls back what the handler did and calls it again no earlier than at this time. */
  public static Postpone until(Instant time, String reason) {
    if (time.isBefore(Instant.EPOCH) || time.isAfter(MAX_TIME)) {
      throw new IllegalArgumentException(
          "the time is %s; expected %s to %s".formatted(time, Instant.EPOCH, MAX_TIME));
    }
    return new Postpone(new When.At(time), reason);
  }

  /** Rolls back what the handler did and calls it again no earlier than after the delay. */
  public static Postpone by(Duration delay, String reason) {
    return new Postpone(new When.After(delay), reason);
  }

  /** When to call the handler again. */
  public When when() {
    return when;
  }
}
