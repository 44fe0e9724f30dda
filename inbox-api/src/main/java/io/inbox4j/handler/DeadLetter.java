package io.inbox4j.handler;

import io.inbox4j.error.InboxException;

/**
 * Thrown by a handler to dead-letter a message without further attempts.
 *
 * <pre>{@code
 * throw DeadLetter.because("order " + event.orderId() + " was never placed");
 * }</pre>
 */
public final class DeadLetter extends InboxException {

  private DeadLetter(String reason) {
    super(reason);
  }

  /** Rolls back what the handler did and keeps the message as dead, with this reason. */
  public static DeadLetter because(String reason) {
    return new DeadLetter(reason);
  }
}
