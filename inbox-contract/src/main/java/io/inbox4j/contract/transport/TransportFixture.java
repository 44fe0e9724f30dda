package io.inbox4j.contract.transport;

import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.InboxTransport;

/** What the contract needs from a transport beyond its port: a producer, and lost connections. */
public interface TransportFixture extends AutoCloseable {

  /**
   * A new transport to the same broker as all others of this fixture, as another process would have
   * it. The contract closes it.
   */
  InboxTransport newTransport();

  /**
   * Publishes a message to a queue, which a receiver has declared, and returns once the broker has
   * it. What the producer sets is the same as in the delivery; {@link Delivery#redelivered} is the
   * broker's.
   */
  void publish(String queue, Delivery message);

  /** Breaks all connections of the fixture's transports, which can connect again at once. */
  void breakConnections();

  /** Disconnects the producer. */
  @Override
  void close();
}
