package io.inbox4j.cli.internal.broker;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** Connects as the receivers do, and reads what the broker says. */
public final class Broker {

  /** What the inbox calls the dead-letter exchange and queue of a queue, after the queue's name. */
  public static final String DEAD_LETTER_SUFFIX = ".dead-letter";

  private Broker() {}

  /** Connects once, by a name that the broker shows. */
  public static Connection connect(BrokerOptions options, String name)
      throws IOException, TimeoutException {
    ConnectionFactory factory = settings(options);
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection(name);
  }

  /** The virtual host, as {@code rabbitmqctl} wants to know it. */
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

  /** Why the broker has refused something, in its words, or what else has failed. */
  public static String refusal(Throwable failure) {
    return Objects.requireNonNullElseGet(RabbitTransport.refusalIn(failure), failure::toString);
  }
}
