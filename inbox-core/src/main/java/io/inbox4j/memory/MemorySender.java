package io.inbox4j.memory;

import io.inbox4j.transport.BrokerUnavailableException;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.SendResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts messages into the queues of a {@link MemoryBroker}, which confirms them at once. */
final class MemorySender implements MessageSender {

  private final MemoryBroker broker;
  private volatile boolean closed;

  MemorySender(MemoryBroker broker) {
    this.broker = broker;
  }

  @Override
  public SentBatch send(List<OutgoingMessage> messages) {
    if (closed) {
      throw new BrokerUnavailableException("the sender is closed");
    }
    String blocked = broker.blocked();
    if (blocked != null) {
      throw new BrokerUnavailableException("the broker accepts no messages at present: " + blocked);
    }
    List<SendResult> results = messages.stream().map(this::send).toList();
    return atMost -> results;
  }

  private SendResult send(OutgoingMessage message) {
    List<MemoryQueue> queues = broker.route(message);
    if (queues.isEmpty()) {
      return new SendResult.Unroutable("there is no queue for " + message.destination());
    }
    Delivery delivery = delivery(message);
    queues.forEach(queue -> queue.add(delivery));
    return new SendResult.Confirmed();
  }

  private static Delivery delivery(OutgoingMessage message) {
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(message.headers());
    if (message.orderingKey() != null) {
      headers.put(OutgoingMessage.ORDERING_KEY_HEADER, message.orderingKey());
    }
    return new Delivery(
        message.messageId().toString(),
        message.type(),
        message.contentType(),
        null,
        message.correlationId(),
        message.source(),
        headers,
        message.body(),
        false);
  }

  @Override
  public @Nullable String blocked() {
    return closed ? null : broker.blocked();
  }

  @Override
  public void close() {
    closed = true;
  }
}
