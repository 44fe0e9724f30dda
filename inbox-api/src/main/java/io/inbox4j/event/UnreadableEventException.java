package io.inbox4j.event;

import io.inbox4j.error.InboxException;

/** Thrown when a stored body does not fit its event class; a retry would not help. */
public final class UnreadableEventException extends InboxException {

  public UnreadableEventException(String message) {
    super(message);
  }

  public UnreadableEventException(String message, Throwable cause) {
    super(message, cause);
  }
}
