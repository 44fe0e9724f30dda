package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/** What the testkit itself does over AMQP. */
final class AmqpProbe {

  private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);

  private AmqpProbe() {}

  /** Waits until the server takes a connection and opens a channel. */
  static void awaitReady(String uri) {
    await("RabbitMQ takes connections")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(100))
        .atMost(READY_TIMEOUT)
        .until(() -> isReady(uri));
  }

  static boolean isReady(String uri) {
    try (Connection connection = connect(uri);
        Channel channel = connection.createChannel()) {
      return channel.isOpen();
    } catch (IOException | TimeoutException e) {
      return false;
    }
  }

  static void deleteQueue(String uri, String name) {
    try (Connection connection = connect(uri);
        Channel channel = connection.createChannel()) {
      channel.queueDelete(name);
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("cannot delete the queue " + name, e);
    }
  }

  private static Connection connect(String uri) throws IOException, TimeoutException {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException e) {
      throw new IllegalArgumentException("not an amqp URI", e);
    }
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(5_000);
    return factory.newConnection("testkit");
  }
}
