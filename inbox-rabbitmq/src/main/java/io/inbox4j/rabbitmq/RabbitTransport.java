package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.MessageSender;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An {@link InboxTransport} that receives from RabbitMQ and sends to it.
 *
 * <p>Every endpoint has its own connection, so that a queue that is deleted, blocked or poisoned
 * affects no other, and a supervisor that keeps it consuming. Nothing is published on these
 * connections: a sender has one of its own, which the broker can block without stopping receivers.
 */
public final class RabbitTransport implements InboxTransport {

  /** The heartbeat interval of the connections. */
  public static final Duration HEARTBEAT = Duration.ofSeconds(10);

  /** More than any broker accepts: a body rejected by the client would kill every connection. */
  private static final int MAX_BODY = 600 << 20;

  private static final int MAX_CAUSES = 10;

  private final ConnectionFactory factory;
  private final List<Supervisor<?>> supervisors = new CopyOnWriteArrayList<>();
  private final List<RabbitSender> senders = new CopyOnWriteArrayList<>();

  private RabbitTransport(ConnectionFactory factory) {
    this.factory = factory;
  }

  /**
   * Receives from the broker at an AMQP URI, for example {@code amqp://user:password@host/vhost}.
   * It connects when the inbox starts.
   *
   * <p>{@code amqps://} uses TLS: this JVM must trust the broker's certificate, which must be
   * issued for the host in the URI.
   */
  public static RabbitTransport connect(String uri) {
    return ours(settings(uri));
  }

  /**
   * The settings with which {@link #connect(String)} connects: use them to change one of them, or
   * to inspect the broker with the same certificate and host name checks.
   */
  public static ConnectionFactory settings(String uri) {
    return configured(uri, isTls(uri) ? defaultContext() : null);
  }

  /**
   * The arguments that a queue is declared with; none for {@link Topology#existing()}, which uses
   * the queue as it is.
   */
  public static Map<String, Object> queueArguments(String queue, Topology topology) {
    return TopologyDeclaration.arguments(queue, topology);
  }

  /**
   * The arguments that a queue's dead-letter queue is declared with, if the inbox declares one. An
   * existing one with another delivery limit is used as it is.
   */
  public static Map<String, Object> deadLetterArguments(Topology topology) {
    return TopologyDeclaration.deadLetterArguments(topology);
  }

  /**
   * Receives from the broker at an {@code amqps://} URI. The context determines which certificates
   * are trusted and which one is presented to the broker; that the broker's certificate is issued
   * for the host in the URI is always verified.
   */
  public static RabbitTransport connect(String uri, SSLContext tls) {
    if (!isTls(uri)) {
      throw new IllegalArgumentException(
          "an SSLContext was given, but the broker's address does not begin with amqps://");
    }
    return ours(configured(uri, tls));
  }

  /** Only safe here, where the reader thread calls no consumers but ours. */
  private static RabbitTransport ours(ConnectionFactory factory) {
    factory.setSharedExecutor(new SameThreadExecutor());
    return connect(factory);
  }

  /**
   * Receives with the user's own settings (credentials, addresses, TLS: whoever configures that
   * here decides what is verified). The factory is copied; automatic recovery is switched off,
   * because the supervisor covers more than it does.
   *
   * <p>A message that the client cannot parse is quarantined, like any other invalid delivery. That
   * is not possible with a subclass of {@link ConnectionFactory}, which has its own way to connect:
   * such a message then ends up in the dead-letter queue, and queues without a delivery limit are
   * rejected.
   */
  public static RabbitTransport connect(ConnectionFactory settings) {
    ConnectionFactory factory = TolerantConnectionFactory.copyOf(settings);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setMaxInboundMessageBodySize(MAX_BODY);
    return new RabbitTransport(factory);
  }

  /**
   * The broker's own text for why it refused something, or null if it gave none: the client throws
   * exceptions that say nothing and keeps the reason in their causes.
   */
  public static @Nullable String refusalIn(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof ShutdownSignalException signal) {
        if (signal.getReason() instanceof AMQP.Channel.Close close) {
          return close.getReplyText();
        }
        if (signal.getReason() instanceof AMQP.Connection.Close close) {
          return close.getReplyText();
        }
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isTls(String uri) {
    return uri.strip().regionMatches(true, 0, "amqps:", 0, 6);
  }

  private static SSLContext defaultContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new InboxException("this JVM has no usable TLS", e);
    }
  }

  private static ConnectionFactory configured(String uri, @Nullable SSLContext tls) {
    ConnectionFactory factory = new TolerantConnectionFactory();
    factory.setMaxInboundMessageBodySize(MAX_BODY);
    if (tls != null) {
      // Client versions older than ours, which a build may select, verify nothing by default.
      factory.useSslProtocol(tls);
      factory.enableHostnameVerification();
    }
    try {
      factory.setUri(uri.strip());
    } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
      // The URI may contain a password, and so may the message of the exception.
      throw new IllegalArgumentException(
          "the broker's address is no AMQP URI; expected for example"
              + " amqp://user:password@host:5672/vhost");
    }
    factory.setRequestedHeartbeat((int) HEARTBEAT.toSeconds());
    factory.setConnectionTimeout(10_000);
    return factory;
  }

  /**
   * {@inheritDoc}
   *
   * @throws TopologyException also if a message could block the queue indefinitely: if the settings
   *     are of a subclass of {@link ConnectionFactory}, and the queue may have no delivery limit
   */
  @Override
  public <T extends IntegrationEvent> Receiver receive(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> deliveryReceiver, ConnectionListener listener) {
    if (endpoint.topology().kind() != Topology.Kind.QUORUM
        && !(factory instanceof TolerantConnectionFactory)) {
      throw new TopologyException(
          endpoint.queue(),
          ("with the connections of %s a message whose headers the client cannot read would block"
                  + " the queue '%s' forever, unless it has a delivery limit; expected"
                  + " Topology.quorum(), or settings that are a plain ConnectionFactory")
              .formatted(factory.getClass().getName(), endpoint.queue()));
    }
    Supervisor<T> supervisor = new Supervisor<>(factory, endpoint, deliveryReceiver, listener);
    supervisors.add(supervisor);
    supervisor.start();
    return supervisor;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Messages are persistent and mandatory, and confirmed by the broker. A topic is an exchange,
   * declared as a durable topic exchange unless it exists, the routing key is the event type. A
   * message that would expire after more than 49 days does not expire: the broker has a limit.
   */
  @Override
  public MessageSender openSender() {
    return openSender(RabbitSender.DEFAULT_PATIENCE);
  }

  MessageSender openSender(Duration patience) {
    RabbitSender sender = new RabbitSender(factory, patience, senders::remove);
    senders.add(sender);
    return sender;
  }

  @Override
  public void close() {
    senders.forEach(RabbitSender::close);
    supervisors.forEach(supervisor -> supervisor.close(Duration.ZERO));
  }
}
