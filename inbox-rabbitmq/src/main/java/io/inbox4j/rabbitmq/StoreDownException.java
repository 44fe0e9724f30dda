package io.inbox4j.rabbitmq;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import java.io.IOException;

/** Deliveries could not be stored for a while, so the broker has them back. */
final class StoreDownException extends IOException {

  StoreDownException(Throwable cause) {
    super("nothing is taken until it can be stored: " + describe(cause), cause);
  }

  /**
   * What the store says, and of everything else (a middleware, a listener, a defect) only what it
   * is: its text may hold parts of a message.
   */
  static String describe(Throwable failure) {
    return failure instanceof InboxException
        ? String.valueOf(failure.getMessage())
        : LoggedFailure.kind(failure);
  }
}
