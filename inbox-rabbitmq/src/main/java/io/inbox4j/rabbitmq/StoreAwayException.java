package io.inbox4j.rabbitmq;

import io.inbox4j.InboxException;
import java.io.IOException;

/** Deliveries could not be stored for a while, so the broker has them back. */
final class StoreAwayException extends IOException {

  private static final int MAX_CAUSES = 10;

  StoreAwayException(Throwable cause) {
    super("nothing is taken until it can be stored: " + describe(cause), cause);
  }

  /**
   * What the store says, and of everything else (a middleware, a listener, a defect) only what it
   * is: its text may hold parts of a message.
   */
  static String describe(Throwable failure) {
    if (failure instanceof InboxException) {
      return String.valueOf(failure.getMessage());
    }
    StringBuilder names = new StringBuilder(failure.getClass().getName());
    Throwable cause = failure.getCause();
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
      names.append(" because of ").append(cause.getClass().getName());
    }
    return names.toString();
  }
}
