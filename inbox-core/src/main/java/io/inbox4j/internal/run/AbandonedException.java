package io.inbox4j.internal.run;

import io.inbox4j.error.InboxException;

/** Thrown when a whole batch is abandoned for a reason that is not caused by a message. */
public class AbandonedException extends InboxException {

  AbandonedException(String message, Throwable cause) {
    super(message, cause);
  }
}
