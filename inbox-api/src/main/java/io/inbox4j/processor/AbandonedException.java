package io.inbox4j.processor;

import io.inbox4j.InboxException;

/** The batch is given up as a whole, for a reason that is not a message's fault. */
class AbandonedException extends InboxException {

  AbandonedException(String message, Throwable cause) {
    super(message, cause);
  }
}
