package io.inbox4j.transport;

import io.inbox4j.event.IntegrationEvent;
import java.time.Duration;

/** The port to a broker. Closing it closes its receivers and everything it opened. */
public interface InboxTransport extends AutoCloseable {

  /**
   * Starts passing an endpoint's deliveries to the delivery receiver, in arrival order, and
   * acknowledges them once they are stored.
   *
   * <p>If the broker is unreachable, now or later, the transport keeps trying to connect. A
   * delivery that could not be stored stays unacknowledged and is offered again.
   *
   * @throws io.inbox4j.error.InboxException if the broker rejects the endpoint's configuration
   */
  <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> deliveryReceiver, ConnectionListener listener);

  /**
   * Opens a sender, which connects when there is something to send. Closing the transport closes
   * it.
   */
  MessageSender openSender();

  @Override
  void close();

  /** A running subscription to one endpoint's queue, until it is closed. */
  interface Receiver {

    /** The current state; does not wait for the broker. */
    ReceiverState state();

    /**
     * Stops consuming, stores and acknowledges deliveries in flight as the deadline allows, and
     * disconnects.
     */
    void close(Duration deadline);
  }
}
