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

  private final Map<String, DeliveryReceiver<?>> intakes = new ConcurrentHashMap<>();

  /** Returns when the deliveries may be acknowledged. */
  void deliver(String queue, List<Delivery> deliveries) {
    DeliveryReceiver<?> intake = intakes.get(queue);
    if (intake == null) {
      throw new IllegalStateException("nobody receives from " + queue);
    }
    intake.store(deliveries.stream().map(intake::check).toList());
  }

  @Override
  public <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> intake, ConnectionListener listener) {
    intakes.put(endpoint.queue(), intake);
    listener.connected(endpoint.queue());
    return new Receiver() {
      @Override
      public ReceiverState state() {
        return new ReceiverState(true, endpoint.consumers(), null);
      }

      @Override
      public void close(Duration deadline) {
        intakes.remove(endpoint.queue());
      }
    };
  }

  @Override
  public void close() {
    intakes.clear();
  }
}
