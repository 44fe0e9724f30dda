package io.inbox4j.examples.support;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The service on the other side: it publishes events, and knows nothing of the inbox.
 *
 * <p>What the inbox asks of a producer is little: JSON in UTF-8, a message id that is the same
 * whenever the same event is sent again, and the name of the event's type.
 */
public final class Producer implements AutoCloseable {

  private final Connection connection;
  private final Channel channel;

  private Producer(Connection connection, Channel channel) {
    this.connection = connection;
    this.channel = channel;
  }

  /** Connects to a broker and asks it to confirm what it gets. */
  public static Producer connect(String amqpUri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    Connection connection = factory.newConnection("producer");
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    return new Producer(connection, channel);
  }

  /** Publishes an event, and returns when the broker has it. */
  public void send(String queue, String type, UUID messageId, String json) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder()
            .messageId(messageId.toString())
            .type(type)
            .contentType("application/json")
            .deliveryMode(2)
            .build();
    send(queue, properties, json.getBytes(StandardCharsets.UTF_8));
  }

  /** Publishes anything at all, and returns when the broker has it. */
  public void send(String queue, BasicProperties properties, byte[] body) throws Exception {
    publish(queue, properties, body);
    awaitConfirms();
  }

  /** Publishes without waiting; {@link #awaitConfirms} waits for many at once. */
  public void publish(String queue, BasicProperties properties, byte[] body) throws Exception {
    channel.basicPublish("", queue, true, properties, body);
  }

  /** Returns when the broker has everything that was published. */
  public void awaitConfirms() throws Exception {
    channel.waitForConfirmsOrDie(30_000);
  }

  @Override
  public void close() throws Exception {
    connection.close();
  }
}
