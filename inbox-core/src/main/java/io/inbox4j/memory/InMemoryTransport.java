package io.inbox4j.memory;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.ReceiveEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An {@link InboxTransport} in memory, for tests: nothing survives the process.
 *
 * <p>A test either {@linkplain #publish publishes} to a queue, as a producer does, or {@linkplain
 * #deliver delivers} in its own thread, and knows that the deliveries are stored when that returns.
 */
public final class InMemoryTransport implements InboxTransport {

  private final MemoryBroker broker;
  private final List<MemoryReceiver> receivers = new CopyOnWriteArrayList<>();
  private final List<MessageSender> senders = new CopyOnWriteArrayList<>();

  private InMemoryTransport(MemoryBroker broker) {
    this.broker = broker;
  }

  /** Creates a transport without any queue; queues come into being when they are used. */
  public static InMemoryTransport create() {
    return new InMemoryTransport(new MemoryBroker());
  }

  /** Another transport with the same queues and bindings, as another process would have it. */
  public InMemoryTransport sibling() {
    return new InMemoryTransport(broker);
  }

  /** Adds a delivery to a queue, where it stays until a receiver has stored it. */
  public void publish(String queue, Delivery delivery) {
    broker.queue(queue).add(delivery);
  }

  /**
   * Passes deliveries to a receiver of the queue in the calling thread, past the queue. Returns
   * when they could be acknowledged, and throws what the receiver throws.
   *
   * @throws IllegalStateException if this transport has no receiver of this queue
   */
  public void deliver(String queue, List<Delivery> deliveries) {
    receivers.stream()
        .filter(receiver -> receiver.receives(queue))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("nobody receives from " + queue))
        .deliver(deliveries);
  }

  /**
   * Loses all connections and gets new ones at once: what was not acknowledged is redelivered, and
   * the listeners are told.
   */
  public void disconnect(Throwable cause) {
    receivers.forEach(receiver -> receiver.disconnect(cause));
  }

  /** Lets all siblings accept no messages from senders, as a broker does that is out of memory. */
  public void block(String reason) {
    broker.block(reason);
  }

  /** Lets messages be sent again. */
  public void unblock() {
    broker.block(null);
  }

  @Override
  public <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> deliveryReceiver, ConnectionListener listener) {
    MemoryReceiver receiver =
        new MemoryReceiver(endpoint, deliveryReceiver, listener, broker.bound(endpoint));
    receivers.add(receiver);
    receiver.start();
    return receiver;
  }

  /**
   * {@inheritDoc}
   *
   * <p>A message to a topic goes to all queues that receivers have bound to it, and one to a queue
   * goes there if it was ever used. Expiry and priority have no effect.
   */
  @Override
  public MessageSender openSender() {
    MessageSender sender = new MemorySender(broker);
    senders.add(sender);
    return sender;
  }

  @Override
  public void close() {
    receivers.forEach(receiver -> receiver.close(Duration.ZERO));
    senders.forEach(MessageSender::close);
  }
}
