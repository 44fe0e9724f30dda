package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
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
    this.connection = factory.newConnection("publisher");
    this.channel = connection.createChannel();
    this.queue = queue;
    channel.confirmSelect();
  }

  /** Publishes an order, and waits until the broker has it. */
  void order(UUID id, String order, int amount) throws Exception {
    send(order(id), body(id, order, amount));
    confirm();
  }

  /** Publishes without waiting; {@link #confirm} does. */
  void send(BasicProperties properties, byte[] body) throws Exception {
    channel.basicPublish("", queue, properties, body);
  }

  void confirm() throws Exception {
    channel.waitForConfirmsOrDie(30_000);
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
    connection.close();
  }
}
