package io.inbox4j.transport;

/** Notified by a transport when an endpoint connects to its queue or loses the connection. */
public interface ConnectionListener {

  /** The endpoint is connected and consumes. */
  void connected(String endpoint);

  /** The connection is lost; the transport is reconnecting. */
  void disconnected(String endpoint, Throwable cause);
}
