package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of an endpoint with its consumers, from connecting to the first failure of any
 * kind.
 */
final class ConsumerSession<T extends IntegrationEvent> {

  private static final Logger log = LoggerFactory.getLogger(ConsumerSession.class);
  private static final int CLOSE_TIMEOUT_MILLIS = 2_000;

  private final Connection connection;
  private final List<InboxConsumer<T>> consumers = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Throwable> shutdown = new CompletableFuture<>();

  private final AtomicBoolean aborted = new AtomicBoolean();

  private ConsumerSession(Connection connection) {
    this.connection = connection;
    connection.addShutdownListener(shutdown::complete);
  }

  /** Opens the connection. */
  static <T extends IntegrationEvent> ConsumerSession<T> connect(
      ConnectionFactory factory, ReceiveEndpoint endpoint) throws IOException, TimeoutException {
    return new ConsumerSession<>(open(factory, "inbox:" + endpoint.queue()));
  }

  /**
   * Opens a connection.
   *
   * @param name by which the broker shows it
   */
  static Connection open(ConnectionFactory factory, String name)
      throws IOException, TimeoutException {
    try {
      return factory.newConnection(name);
    } catch (SSLException e) {
      throw new IOException(
          "TLS with the broker failed; its certificate must be trusted, and made out to '%s': %s"
              .formatted(factory.getHost(), e.getMessage()),
          e);
    }
  }

  /** Declares the topology and starts one consumer for each slow start. */
  void consume(
      ReceiveEndpoint endpoint, DeliveryReceiver<T> deliveryReceiver, List<SlowStart> starts)
      throws IOException, TimeoutException {
    new TopologyDeclaration(connection, endpoint).declare();
    for (SlowStart start : starts) {
      Channel channel = connection.createChannel();
      InboxConsumer<T> consumer =
          new InboxConsumer<>(
              channel,
              endpoint.queue(),
              deliveryReceiver,
              endpoint.batchSize(),
              mayBeSingleActive(endpoint.topology()));
      consumers.add(consumer);
      consumer.start(start);
    }
  }

  /** A queue that somebody else has declared may have a single active consumer. */
  static boolean mayBeSingleActive(Topology topology) {
    return topology.singleActiveConsumer() || topology.kind() == Topology.Kind.EXISTING;
  }

  /** Completes when the session cannot continue, with the failure that stopped it. */
  CompletableFuture<Throwable> failure() {
    List<CompletableFuture<Throwable>> any = new ArrayList<>(List.of(shutdown));
    consumers.forEach(consumer -> any.add(consumer.failure()));
    return CompletableFuture.anyOf(any.toArray(CompletableFuture[]::new))
        .thenApply(Throwable.class::cast);
  }

  /** Whether the connection is open. */
  boolean isConnected() {
    return connection.isOpen();
  }

  /** The number of active consumers. */
  int consuming() {
    return (int) consumers.stream().filter(InboxConsumer::isConsuming).count();
  }

  /** How many deliveries were stored and acknowledged. */
  long stored() {
    return consumers.stream().mapToLong(InboxConsumer::stored).sum();
  }

  /** Returns the failure, with more detail if the broker provides it. */
  Throwable explain(Throwable failure, String queue) {
    if (!(failure instanceof ConsumerCancelledException cancelled)) {
      return failure;
    }
    try {
      Channel channel = connection.createChannel();
      if (channel == null) {
        return failure; // no channel left on this connection
      }
      channel.queueDeclarePassive(queue);
      channel.close();
      return cancelled.queueIsThere();
    } catch (IOException e) {
      AMQP.Channel.Close refusal = TopologyDeclaration.refusalIn(e);
      return refusal == null ? failure : cancelled.queueIsRefused(refusal);
    } catch (TimeoutException | ShutdownSignalException e) {
      return failure;
    }
  }

  /** Stores and acknowledges pending deliveries until the deadline, then disconnects. */
  void close(Duration time) {
    Deadline deadline = Deadline.in(time);
    consumers.forEach(consumer -> consumer.close(deadline.left()));
    abort();
  }

  /** Whether the store has not responded for this long. */
  boolean isStuckFor(Duration time) {
    return consumers.stream().anyMatch(consumer -> consumer.isStuckFor(time));
  }

  /** Whether deliveries are waiting to be stored or acknowledged. */
  boolean hasInFlight() {
    return consumers.stream().anyMatch(InboxConsumer::hasInFlight);
  }

  /** Whether something is still being stored. */
  boolean isStoring() {
    return consumers.stream().anyMatch(InboxConsumer::isStoring);
  }

  /** Waits, after {@link #abort}, until nothing is being stored any more or the time is up. */
  void awaitEnd(Duration time) throws InterruptedException {
    Deadline deadline = Deadline.in(time);
    for (InboxConsumer<T> consumer : consumers) {
      consumer.awaitEnd(deadline.left());
    }
  }

  /** Disconnects immediately; unacknowledged deliveries are redelivered. */
  void abort() {
    shutdown.complete(new IOException("the session was closed"));
    consumers.forEach(consumer -> consumer.failure().complete(new IOException("closed")));
    if (!aborted.compareAndSet(false, true)) {
      return;
    }
    connection.abort(CLOSE_TIMEOUT_MILLIS);
    log.debug("Disconnected {}", connection.getClientProvidedName());
  }
}
