package io.inbox4j.worker.internal.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.worker.internal.options.BrokerOptions;
import io.inbox4j.worker.internal.options.UsageException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Connects as the receivers do, and reads what the broker says. */
public final class Broker {

  /** What the inbox calls the dead-letter exchange and queue of a queue, after the queue's name. */
  public static final String DEAD_LETTER_SUFFIX = ".dead-letter";

  private Broker() {}

  /** Connects once, by a name that the broker shows. */
  public static Connection connect(BrokerOptions options, String name)
      throws IOException, TimeoutException {
    ConnectionFactory factory;
    try {
      factory = RabbitTransport.settings(options.uri());
    } catch (IllegalArgumentException e) {
      throw new UsageException("the value of --amqp-uri is no AMQP URI");
    }
    factory.setAutomaticRecoveryEnabled(false);
    return factory.newConnection(name);
  }

  /** Why the broker has refused something, in its words. */
  public static @Nullable String refusal(IOException failure) {
    return failure.getCause() instanceof ShutdownSignalException signal
            && signal.getReason() instanceof AMQP.Channel.Close close
        ? close.getReplyText()
        : failure.getMessage();
  }
}
