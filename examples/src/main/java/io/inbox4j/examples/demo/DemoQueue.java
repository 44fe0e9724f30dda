package io.inbox4j.examples.demo;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;

/** The demo's queue, which is nobody else's. */
final class DemoQueue {

  static final String NAME = "inbox-demo.orders";

  private DemoQueue() {}

  private interface Deletion {
    void on(Channel channel) throws IOException;
  }

  /** Deletes what this or another run has left at the broker. */
  static void delete(String amqpUri) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    try (Connection connection = factory.newConnection("inbox-demo")) {
      deleteIfThere(connection, channel -> channel.queueDelete(NAME));
      deleteIfThere(connection, channel -> channel.queueDelete(NAME + ".dead-letter"));
      deleteIfThere(connection, channel -> channel.exchangeDelete(NAME + ".dead-letter"));
    }
  }

  private static void deleteIfThere(Connection connection, Deletion deletion) throws IOException {
    Channel channel = connection.createChannel();
    try {
      deletion.on(channel);
    } catch (IOException e) {
      if (channel.isOpen() || !connection.isOpen()) {
        throw e;
      }
      // It was not there: the broker has closed the channel, and nothing else.
    }
  }
}
