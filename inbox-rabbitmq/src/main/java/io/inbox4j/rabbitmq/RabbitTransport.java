package io.inbox4j.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.InboxListener;
import io.inbox4j.IntegrationEvent;
import io.inbox4j.receive.Intake;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveEndpoint;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Receives from RabbitMQ.
 *
 * <p>Every endpoint has a connection of its own, so that a queue that is deleted, blocked or
 * poisoned disturbs no other, and one supervisor that keeps it consuming. Nothing is published on
 * these connections.
 */
public final class RabbitTransport implements InboxTransport {

  /** How often the connection is checked. */
  public static final Duration HEARTBEAT = Duration.ofSeconds(10);

  /** Above what any broker accepts: a body that the client refused would kill every connection. */
  private static final int MAX_BODY = 600 << 20;

  private final ConnectionFactory factory;
  private final List<Supervisor<?>> supervisors = new CopyOnWriteArrayList<>();

  private RabbitTransport(ConnectionFactory factory) {
    this.factory = factory;
  }

  /**
   * Receives from the broker at an AMQP URI, for example {@code amqp://user:password@host/vhost}.
   * It connects when the inbox starts.
   */
  public static RabbitTransport connect(String uri) {
    ConnectionFactory factory = new ConnectionFactory();
    try {
      factory.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
      // The URI may hold a password, and so may the message of the exception.
      throw new IllegalArgumentException(
          "the broker's address is no AMQP URI; expected for example"
              + " amqp://user:password@host:5672/vhost");
    }
    factory.setRequestedHeartbeat((int) HEARTBEAT.toSeconds());
    factory.setConnectionTimeout(10_000);
    return connect(factory);
  }

  /**
   * Receives with the user's own settings (TLS, credentials, addresses). The factory is copied;
   * automatic recovery is switched off, because the supervisor covers more than it does.
   */
  public static RabbitTransport connect(ConnectionFactory settings) {
    ConnectionFactory factory = settings.clone();
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setMaxInboundMessageBodySize(MAX_BODY);
    return new RabbitTransport(factory);
  }

  @Override
  public <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, Intake<T> intake, InboxListener listener) {
    Supervisor<T> supervisor = new Supervisor<>(factory, endpoint, intake, listener);
    supervisors.add(supervisor);
    supervisor.start();
    return supervisor;
  }

  @Override
  public void close() {
    supervisors.forEach(supervisor -> supervisor.close(Duration.ZERO));
  }
}
