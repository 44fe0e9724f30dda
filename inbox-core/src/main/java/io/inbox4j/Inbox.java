package io.inbox4j;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.lifecycle.InboxConfig;
import io.inbox4j.internal.lifecycle.InboxLifecycle;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.ObservedInbox;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A service's inbox: every message that the broker delivers is stored once and acknowledged, and
 * handlers process the stored messages.
 *
 * <pre>{@code
 * Inbox inbox = Inbox.builder()
 *     .store(JdbiInboxStore.create(dataSource))
 *     .transport(RabbitTransport.connect("amqp://localhost"))
 *     .subscribe("billing.orders", OrderCreated.class, (event, context) ->
 *         context.unwrap(Handle.class).execute("INSERT INTO invoices …", event.orderId()))
 *     .build();
 * inbox.start();
 * }</pre>
 *
 * <p>Nothing is connected, created or started before {@link #open} or one of the start methods,
 * which open it, too. Until then the methods that need the store throw an {@link InboxException}.
 *
 * <p>Thread-safe. It is started once and closed once; closing it closes the store and the
 * transport. A failed start stops whatever it had started, and can be retried.
 */
public final class Inbox implements ObservedInbox, AutoCloseable {

  /** The default time that {@link #close()} gives work in flight to finish. */
  public static final Duration DEFAULT_CLOSE_DEADLINE = Duration.ofSeconds(30);

  private final InboxConfig config;
  private final InboxProcessor processor;
  private final InboxLifecycle lifecycle;
  private final DeadLetters deadLetters;
  private final Quarantine quarantine;
  private final PendingMessages pending;
  private final Outbox outbox;
  private final RetentionRunner retention;

  Inbox(InboxConfig config) {
    this.config = config;
    Map<String, DeliveryValidator> validators = config.validators();
    processor =
        new InboxProcessor(
            config.handled(),
            config.reader(),
            config.writer(),
            config.store(),
            config.listener(),
            config.failures(),
            config.maxConcurrency());
    Operator operator = new Operator(config.store(), config.listener(), processor::wake);
    deadLetters = new DeadLetters(operator);
    quarantine = new Quarantine(operator, validators);
    pending = new PendingMessages(operator);
    retention = new RetentionRunner(config.store(), config.handledNames(), config.retention());
    lifecycle = new InboxLifecycle(config, validators, processor, this);
    outbox = new Outbox(config.store(), config.writer(), lifecycle::requireOpen);
  }

  /** Returns a builder for an inbox. */
  public static InboxBuilder builder() {
    return new InboxBuilder();
  }

  /**
   * Prepares the store, which creates or checks its tables, and starts monitoring, without
   * receiving or processing anything: for programs that only operate on messages. Does nothing if
   * the inbox is open.
   *
   * @throws InboxException if the tables are missing, or the inbox is closed
   */
  public void open() {
    lifecycle.open();
  }

  /**
   * Opens the inbox and starts receiving and processing, until {@link #close}.
   *
   * <p>If it throws, neither is running: whatever it had started is stopped as by {@link #close()},
   * no thread keeps the process alive, and it can be called again. The store stays open until
   * {@link #close()}.
   *
   * @throws InboxException if the tables are missing, the broker rejects the configuration of a
   *     queue, or no event has a handler here
   */
  public void start() {
    lifecycle.start();
  }

  /**
   * Opens the inbox and starts receiving only: stores deliveries and acknowledges them. If the
   * broker is unreachable, the connection is retried in the background. If this method throws, it
   * has stopped whatever it had started, and can be called again.
   *
   * @throws InboxException if the tables are missing, or the broker rejects the configuration of a
   *     queue
   */
  public void startReceiving() {
    lifecycle.startReceiving();
  }

  /**
   * Opens the inbox and starts processing only: runs handlers on messages stored by this or another
   * process. Events without a handler here are left to the processes that have one. If this method
   * throws, it has stopped whatever it had started, and can be called again.
   *
   * @throws InboxException if the tables are missing, or no event has a handler here
   */
  public void startProcessing() {
    lifecycle.startProcessing();
  }

  /**
   * Opens the inbox and starts publishing only: sends what is in the outbox to the broker. Any
   * number of processes can do so; one at a time does, and another takes over within seconds when
   * it ends. {@link #start} does it, too, if the transport can send. If this method throws, it has
   * stopped whatever it had started, and can be called again.
   *
   * @throws InboxException if the tables are missing, or there is no transport
   */
  public void startPublishing() {
    lifecycle.startPublishing();
  }

  /** The outbox, to publish events outside of handlers. */
  public Outbox outbox() {
    return outbox;
  }

  /**
   * The health of the inbox, component by component, and since when: the broker, the consumers, the
   * database, the lag, stuck messages, old transactions, pauses, circuit breakers and workers. It
   * is monitored continuously, at little cost; this call returns the last known state without
   * waiting.
   */
  @Override
  public Health health() {
    return lifecycle.health();
  }

  /** The dead messages: list, replay and discard them. */
  public DeadLetters deadLetters() {
    lifecycle.requireOpen();
    return deadLetters;
  }

  /** The messages that are still to be handled: list, expedite and discard them. */
  public PendingMessages pending() {
    lifecycle.requireOpen();
    return pending;
  }

  /** The quarantined deliveries: list, replay and discard them. */
  public Quarantine quarantine() {
    lifecycle.requireOpen();
    return quarantine;
  }

  /**
   * The failed attempts of a message of any status, in order: the first {@value
   * FailedAttempt#FIRST_KEPT} and the last {@value FailedAttempt#LAST_KEPT}.
   */
  public List<FailedAttempt> attempts(String queue, UUID messageId) {
    lifecycle.requireOpen();
    return config.store().attempts(queue, messageId);
  }

  /**
   * The processes that are running on this inbox's tables, this one included: those that receive or
   * process. One that was killed is listed for up to 45 s.
   */
  public List<RunningProcess> processes() {
    lifecycle.requireOpen();
    return config.store().processes();
  }

  /** The running processes that handle events of this type that arrive at this queue. */
  public List<RunningProcess> processesHandling(String queue, String type) {
    return processes().stream().filter(it -> it.info().handles(queue, type)).toList();
  }

  /** Applies the retention on demand, instead of in a few minutes. */
  public RetentionRunner retention() {
    lifecycle.requireOpen();
    return retention;
  }

  /**
   * Controls a subscription while it runs.
   *
   * @throws InboxException if the queue is not subscribed
   */
  public SubscriptionControl control(String queue) {
    requireSubscribed(queue);
    return new SubscriptionControl(queue, config.store(), processor);
  }

  /**
   * What is waiting to be handled by any process; cheap enough to query every few seconds.
   *
   * @throws InboxException if the queue is not subscribed
   */
  @Override
  public Backlog backlog(String queue) {
    requireSubscribed(queue);
    return config.store().backlog(queue);
  }

  /** The subscribed queues, each with the names of its event types. */
  @Override
  public Map<String, Set<String>> types() {
    return byQueue(it -> it.types().names());
  }

  /** The subscribed queues, each with its topology. */
  public Map<String, Topology> topologies() {
    return byQueue(it -> it.queue().topology());
  }

  private <V> Map<String, V> byQueue(Function<EndpointConfig, V> value) {
    return config.endpoints().stream()
        .collect(Collectors.toUnmodifiableMap(EndpointConfig::endpoint, value));
  }

  private void requireSubscribed(String queue) {
    Set<String> queues = topologies().keySet();
    if (!queues.contains(queue)) {
      throw new InboxException(
          "'%s' is not subscribed by this inbox; it subscribes: %s"
              .formatted(queue, queues.stream().sorted().collect(Collectors.joining(", "))));
    }
    lifecycle.requireOpen();
  }

  /** Closes the inbox with the builder's close deadline, which defaults to 30 s. */
  @Override
  public void close() {
    close(config.closeDeadline());
  }

  /**
   * Stops receiving and claiming, lets work in flight finish until the deadline, rolls back the
   * rest, and closes the transport and the store. A second call does nothing.
   */
  public void close(Duration deadline) {
    lifecycle.close(deadline);
  }
}
