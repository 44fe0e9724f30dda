package io.inbox4j.rabbitmq;

import io.inbox4j.error.InboxException;

/** Thrown if a queue, exchange or binding is refused as configured; the message says why. */
public final class TopologyException extends InboxException {

  private final String endpoint;

  TopologyException(String endpoint, String message) {
    super(message);
    this.endpoint = endpoint;
  }

  TopologyException(String endpoint, String message, Throwable cause) {
    super(message, cause);
    this.endpoint = endpoint;
  }

  /** The endpoint concerned. */
  public String endpoint() {
    return endpoint;
  }
}
