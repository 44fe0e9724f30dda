package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.event.MessageIds;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Publishes to a queue, with confirms, as a producer would. */
final class Publisher implements AutoCloseable {

  private final Connection connection;
  private final Channel channel;
  private final String queue;

  Publisher(String uri, String queue) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    factory.setAutomaticRecoveryEnabled(false);
    this.connection = factory.newConnection("publisher");
    this.channel = connection.createChannel();
    this.queue = queue;
    channel.confirmSelect();
  }

  /** The id of an order's event: the same whenever the order is published again. */
  static UUID idOf(String order) {
    return MessageIds.of("order", order);
  }

  /** Publishes orders named by a prefix and a number from 0, and waits until the broker has all. */
  void orders(String prefix, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      send(prefix + i);
    }
    confirm();
  }

  /** Publishes an order, and waits until the broker has it. */
  void order(String order) throws Exception {
    send(order);
    confirm();
  }

  /** Publishes an order without waiting. */
  void send(String order) throws Exception {
    UUID id = idOf(order);
    send(order(id), body(id, order, 1));
  }

  /** Publishes the cancellation of an order, and waits until the broker has it. */
  void cancellation(String order) throws Exception {
    UUID id = MessageIds.of("order", order, "cancelled");
    send(
        order(id).builder().type("orders.order-cancelled").build(),
        "{\"order\":\"%s\"}".formatted(order).getBytes(StandardCharsets.UTF_8));
    confirm();
  }

  /** Publishes without waiting; {@link #confirm} does. */
  void send(BasicProperties properties, byte[] body) throws Exception {
    channel.basicPublish("", queue, properties, body);
  }

  /** Publishes to an exchange, and waits until the broker has it. */
  void order(String exchange, String routingKey, String order) throws Exception {
    UUID id = idOf(order);
    channel.basicPublish(exchange, routingKey, order(id), body(id, order, 1));
    confirm();
  }

  void confirm() throws Exception {
    channel.waitForConfirmsOrDie(30_000);
  }

  /** How many messages of the queue are ready to be delivered. */
  long ready() throws Exception {
    return channel.messageCount(queue);
  }

  /** The channel, to prepare something at the broker. */
  Channel channel() {
    return channel;
  }

  static BasicProperties order(UUID id) {
    return new BasicProperties.Builder()
        .messageId(id.toString())
        .type("orders.order-placed")
        .contentType("application/json")
        .deliveryMode(2)
        .build();
  }

  static byte[] body(UUID id, String order, int amount) {
    return "{\"messageId\":\"%s\",\"order\":\"%s\",\"amount\":%d}"
        .formatted(id, order, amount)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws Exception {
    if (connection.isOpen()) {
      connection.close(5_000);
    }
  }
}
