package io.inbox4j.transport;

/** Told by a transport when an endpoint's connection to its queue comes and goes. */
public interface ConnectionListener {

  /** The endpoint is connected and consumes. */
  void connected(String endpoint);

  /** The connection is down; the transport is setting it up again. */
  void disconnected(String endpoint, Throwable cause);
}
