package io.inbox4j.cli.internal.broker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** Connects to the broker the way receivers do, and reads its replies. */
public final class Broker {

  /** The suffix that the inbox appends to a queue's name for its dead-letter exchange and queue. */
  public static final String DEAD_LETTER_SUFFIX = ".dead-letter";

  private Broker() {}

  /** Opens a connection under a name that the broker shows. */
  public static Connection connect(BrokerOptions options, String name)
      throws IOException, TimeoutException {
    ConnectionFactory factory = settings(options);
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection(name);
  }

  /** The virtual host, as {@code rabbitmqctl} expects it. */
  public static String virtualHost(BrokerOptions options) {
    return settings(options).getVirtualHost();
  }

  private static ConnectionFactory settings(BrokerOptions options) {
    try {
      return RabbitTransport.settings(options.uri());
    } catch (IllegalArgumentException e) {
      throw new UsageException("the value of --amqp-uri is no AMQP URI");
    }
  }

  /** The broker's own text for why it refused something, or else the failure. */
  public static String refusal(Throwable failure) {
    return Objects.requireNonNullElseGet(RabbitTransport.refusalIn(failure), failure::toString);
  }
}
