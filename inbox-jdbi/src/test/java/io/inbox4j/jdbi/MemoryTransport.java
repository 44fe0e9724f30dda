package io.inbox4j.jdbi;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.ReceiverState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Hands over what a test delivers, on the test's thread. */
final class MemoryTransport implements InboxTransport {

  private final Map<String, DeliveryReceiver<?>> receivers = new ConcurrentHashMap<>();

  /** Returns when the deliveries may be acknowledged. */
  void deliver(String queue, List<Delivery> deliveries) {
    DeliveryReceiver<?> deliveryReceiver = receivers.get(queue);
    if (deliveryReceiver == null) {
      throw new IllegalStateException("nobody receives from " + queue);
    }
    deliveryReceiver.store(deliveries.stream().map(deliveryReceiver::check).toList());
  }

  @Override
  public <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> deliveryReceiver, ConnectionListener listener) {
    receivers.put(endpoint.queue(), deliveryReceiver);
    listener.connected(endpoint.queue());
    return new Receiver() {
      @Override
      public ReceiverState state() {
        return new ReceiverState(true, endpoint.consumers(), null);
      }

      @Override
      public void close(Duration deadline) {
        receivers.remove(endpoint.queue());
      }
    };
  }

  @Override
  public void close() {
    receivers.clear();
  }
}
