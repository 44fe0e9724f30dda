package io.inbox4j.transport;

import io.inbox4j.error.InboxException;

/** Thrown when messages cannot be sent now; a later attempt may succeed. */
public final class BrokerUnavailableException extends InboxException {

  public BrokerUnavailableException(String message) {
    super(message);
  }

  public BrokerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
