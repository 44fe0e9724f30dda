package io.inbox4j.benchmarks.lab;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;

/** A quorum queue that is filled before it is measured, or while. */
public final class Queue {

  public static final String NAME = "benchmark.orders";

  /** So many times the messages of others are needed to measure one that only receives. */
  public static final int LONG = 4;

  private static final int CONFIRM_EVERY = 1_000;

  private final ConnectionFactory factory = new ConnectionFactory();
  private final Orders orders;

  Queue(String uri, Orders orders) throws Exception {
    factory.setUri(uri);
    this.orders = orders;
  }

  public Connection connect() throws Exception {
    return factory.newConnection("benchmark");
  }

  /** Declares the queue anew. */
  public void declare() throws Exception {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.queueDelete(NAME);
      channel.queueDeclare(NAME, true, false, false, Map.of("x-queue-type", "quorum"));
    }
  }

  /** Declares the queue anew and puts messages into it, confirmed. */
  public void fill(int messages) throws Exception {
    fill(messages, 0);
  }

  /** The same with one in so many published twice; 0 for none. */
  public void fill(int messages, int repeatOneIn) throws Exception {
    declare();
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      for (int i = 1; i <= messages; i++) {
        UUID id = orders.nextId();
        publish(channel, id);
        if (repeatOneIn > 0 && i % repeatOneIn == 0) {
          publish(channel, id);
        }
        if (i % CONFIRM_EVERY == 0) {
          channel.waitForConfirmsOrDie(60_000);
        }
      }
      channel.waitForConfirmsOrDie(60_000);
    }
  }

  public static void publish(Channel channel, UUID id) throws IOException {
    channel.basicPublish("", NAME, properties(id), Orders.body(id));
  }

  private static BasicProperties properties(UUID id) {
    return new BasicProperties.Builder()
        .messageId(id.toString())
        .type(Orders.TYPE)
        .contentType("application/json")
        .deliveryMode(2)
        .build();
  }
}
