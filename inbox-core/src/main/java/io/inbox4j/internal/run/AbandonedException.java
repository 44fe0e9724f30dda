package io.inbox4j.internal.run;

import io.inbox4j.error.InboxException;

/** The batch is given up as a whole, for a reason that is not a message's fault. */
public class AbandonedException extends InboxException {

  AbandonedException(String message, Throwable cause) {
    super(message, cause);
  }
}
