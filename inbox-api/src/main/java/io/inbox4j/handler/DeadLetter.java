package io.inbox4j.handler;

import io.inbox4j.error.InboxException;

/**
 * Thrown by a handler that gives up on a message at once.
 *
 * <pre>{@code
 * throw DeadLetter.because("order " + event.orderId() + " was never placed");
 * }</pre>
 */
public final class DeadLetter extends InboxException {

  private DeadLetter(String reason) {
    super(reason);
  }

  /** Undo what the handler did, and keep the message as dead for this reason. */
  public static DeadLetter because(String reason) {
    return new DeadLetter(reason);
  }
}
