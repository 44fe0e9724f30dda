package io.inbox4j.rabbitmq;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import java.io.IOException;

/** Signals that deliveries could not be stored for a while, so the broker requeues them. */
final class StoreDownException extends IOException {

  StoreDownException(Throwable cause) {
    super("nothing is taken until it can be stored: " + describe(cause), cause);
  }

  /**
   * Describes a failure: by the store's own message, and for anything else (a middleware, a
   * listener, a bug) only by its type, because its text may contain parts of a message.
   */
  static String describe(Throwable failure) {
    return failure instanceof InboxException
        ? String.valueOf(failure.getMessage())
        : LoggedFailure.kind(failure);
  }
}
