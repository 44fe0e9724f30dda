package io.inbox4j.transport;

import io.inbox4j.event.IntegrationEvent;
import java.time.Duration;

/** The port to a broker. Closing it ends its receivers and whatever it opened. */
public interface InboxTransport extends AutoCloseable {

  /**
   * Starts to hand an endpoint's deliveries to the intake, in arrival order, and acknowledges them
   * once the intake has returned.
   *
   * <p>A broker that is away is waited for, now and later. A delivery that the intake could not
   * store stays unacknowledged and is offered again.
   *
   * @throws io.inbox4j.error.InboxException if the broker refuses the endpoint as it is configured
   */
  <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> intake, ConnectionListener listener);

  @Override
  void close();

  /** Receiving from one endpoint, until it is closed. */
  interface Receiver {

    /** How it is right now; does not wait for the broker. */
    ReceiverState state();

    /**
     * Stops taking, stores and acknowledges what is in hand if the deadline allows, disconnects.
     */
    void close(Duration deadline);
  }
}
