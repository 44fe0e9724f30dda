package io.inbox4j;

import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventReader;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.health.HealthMonitor;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.loop.PeriodicTasks;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.internal.receive.QuarantineAdoption;
import io.inbox4j.internal.receive.QuarantineLog;
import io.inbox4j.internal.receive.ReceiverMiddlewareChain;
import io.inbox4j.internal.receive.StoringReceiver;
import io.inbox4j.internal.retain.RetentionJob;
import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.listener.ObservedInbox;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.InboxStore;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveMiddleware;
import io.inbox4j.transport.ReceiverState;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * <p>Thread-safe. It is started once and closed once; closing it closes the store and the
 * transport. A failed start stops whatever it had started, and can be retried.
 */
public final class Inbox implements ObservedInbox, AutoCloseable {

  /** The default time that {@link #close()} gives work in flight to finish. */
  public static final Duration DEFAULT_CLOSE_DEADLINE = Duration.ofSeconds(30);

  private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
  private static final Duration FOREVER = Duration.ofDays(365);
  private static final Duration MIN_UPKEEP_INTERVAL = Duration.ofMillis(500);
  private static final Duration MAX_UPKEEP_INTERVAL = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  private final InboxStore store;
  private final @Nullable InboxTransport transport;
  private final List<Subscription> subscriptions;
  private final Map<String, DeliveryValidator> checks;
  private final List<ReceiveMiddleware> receiveMiddleware;
  private final SafeListener listener;
  private final FailureLog failures;
  private final InboxProcessor processor;
  private final DeadLetters deadLetters;
  private final Quarantine quarantine;
  private final PendingMessages pending;
  private final RetentionRunner retentionRunner;
  private final Supplier<RetentionJob> newRetentionJob;
  private final QuarantineLog quarantineLog = new QuarantineLog();
  private final Supplier<PeriodicTasks> newUpkeep;
  private final HealthMonitor monitor;
  private final Duration closeDeadline;
  private final Map<String, InboxTransport.Receiver> receivers = new ConcurrentHashMap<>();
  private @Nullable RetentionJob retentionJob;
  private @Nullable PeriodicTasks upkeep;
  private volatile boolean opened;
  private boolean receiving;
  private boolean processing;
  private volatile boolean closing;
  private boolean closed;

  Inbox(
      InboxStore store,
      @Nullable InboxTransport transport,
      List<Subscription> subscriptions,
      EventReader reader,
      List<ReceiveMiddleware> receiveMiddleware,
      SafeListener listener,
      FailureLog failures,
      @Nullable Integer maxConcurrency,
      HealthMonitor monitor,
      Retention retention,
      Duration closeDeadline) {
    this.store = store;
    this.transport = transport;
    this.subscriptions = List.copyOf(subscriptions);
    this.receiveMiddleware = List.copyOf(receiveMiddleware);
    this.listener = listener;
    this.failures = failures;
    this.monitor = monitor;
    this.closeDeadline = closeDeadline;
    this.checks =
        subscriptions.stream()
            .collect(Collectors.toMap(Subscription::queue, it -> it.check(reader)));
    List<EndpointConfig> configs =
        subscriptions.stream().filter(Subscription::hasHandlers).map(Subscription::config).toList();
    this.processor = new InboxProcessor(configs, reader, store, listener, failures, maxConcurrency);
    this.deadLetters = new DeadLetters(store, listener, processor::wake);
    this.quarantine = new Quarantine(store, checks, listener, processor::wake);
    this.pending = new PendingMessages(store, listener, processor::wake);
    Set<String> handled =
        configs.stream().map(EndpointConfig::endpoint).collect(Collectors.toSet());
    this.retentionRunner = new RetentionRunner(store, handled, retention);
    this.newRetentionJob = () -> new RetentionJob(store, handled, retention);
    QuarantineAdoption adoption =
        new QuarantineAdoption(
            store,
            subscriptions.stream()
                .collect(Collectors.toMap(Subscription::queue, it -> door(it, checks))),
            listener,
            processor::wake);
    this.newUpkeep =
        () ->
            new PeriodicTasks(
                upkeepInterval(subscriptions),
                List.of(quarantineLog::report, () -> adoption.look(() -> closing)));
    subscriptions.forEach(it -> monitor.waiting(it.queue(), it.options().maxLag));
  }

  /** Returns a builder for an inbox. */
  public static InboxBuilder builder() {
    return new InboxBuilder();
  }

  /**
   * Starts receiving and processing, until {@link #close}.
   *
   * <p>If it throws, neither is running: whatever it had started is stopped as by {@link #close()},
   * no thread keeps the process alive, and it can be called again. The store stays open until
   * {@link #close()}.
   *
   * @throws InboxException if the tables are missing, the broker rejects the configuration of a
   *     queue, or no event has a handler here
   */
  public synchronized void start() {
    requireTransport();
    requireNotReceiving();
    startProcessing();
    orElse(this::startReceiving, this::stopProcessing);
  }

  /** Runs an action and, if it fails, undoes it. */
  private static void orElse(Runnable start, Runnable undo) {
    try {
      start.run();
    } catch (Throwable e) { // also errors that a transport or a store does not declare
      try {
        undo.run();
      } catch (Throwable more) {
        e.addSuppressed(more);
      }
      throw e;
    }
  }

  /**
   * Starts receiving only: stores deliveries and acknowledges them. If the broker is unreachable,
   * the connection is retried in the background. If this method throws, it has stopped whatever it
   * had started, and can be called again.
   *
   * @throws InboxException if the tables are missing, or the broker rejects the configuration of a
   *     queue
   */
  public synchronized void startReceiving() {
    requireTransport();
    requireNotReceiving();
    open();
    startUpkeep();
    receiving = true;
    orElse(this::receiveAll, this::stopReceiving);
    monitor.look();
  }

  private void requireNotReceiving() {
    if (receiving && !closed) {
      throw new InboxException("this inbox is receiving already");
    }
  }

  private void receiveAll() {
    InboxTransport from = requireTransport();
    for (Subscription subscription : subscriptions) {
      if (closing) {
        return;
      }
      log.info("Receiving {}", subscription);
      String queue = subscription.queue();
      monitor.receiving(queue, subscription.options().consumers, () -> stateOf(queue));
      receivers.put(
          queue, from.receive(subscription.endpoint(), deliveryReceiver(subscription), tellAll()));
    }
  }

  private void stopReceiving() {
    if (closed) {
      return;
    }
    monitor.notReceiving();
    closeReceivers(System.nanoTime() + closeDeadline.toNanos());
    receivers.clear();
    receiving = false;
    stopUpkeepUnlessNeeded();
    monitor.look();
  }

  private ReceiverState stateOf(String queue) {
    InboxTransport.Receiver receiver = receivers.get(queue);
    return receiver == null ? ReceiverState.connecting() : receiver.state();
  }

  private InboxTransport requireTransport() {
    if (transport == null) {
      throw new InboxException(
          "no transport given to receive from; expected .transport(…), or startProcessing()");
    }
    return transport;
  }

  /**
   * Starts processing only: runs handlers on messages stored by this or another process. Events
   * without a handler here are left to the processes that have one. If this method throws, it has
   * stopped whatever it had started, and can be called again.
   *
   * @throws InboxException if the tables are missing, or no event has a handler here
   */
  public synchronized void startProcessing() {
    if (subscriptions.stream().noneMatch(Subscription::hasHandlers)) {
      throw new InboxException(
          "no subscription has a handler, so there is nothing to process; registered are: %s"
              .formatted(
                  subscriptions.stream()
                      .map(it -> "'%s' [%s]".formatted(it.queue(), it.types()))
                      .collect(Collectors.joining(", "))));
    }
    open();
    if (processing) {
      throw new InboxException("this inbox is processing already");
    }
    startUpkeep();
    processing = true;
    orElse(this::processAll, this::stopProcessing);
    monitor.look();
  }

  private void processAll() {
    subscriptions.stream()
        .filter(Subscription::hasHandlers)
        .forEach(subscription -> log.info("Processing {}", subscription));
    processor.start();
    RetentionJob started = newRetentionJob.get();
    retentionJob = started;
    started.start();
    subscriptions.stream()
        .filter(Subscription::hasHandlers)
        .forEach(it -> monitor.processing(it.queue(), it.options().breaker != null, processor));
  }

  private void stopProcessing() {
    if (closed) {
      return;
    }
    monitor.notProcessing();
    if (retentionJob != null) {
      retentionJob.close();
      retentionJob = null;
    }
    processor.withdraw(closeDeadline);
    processing = false;
    stopUpkeepUnlessNeeded();
    monitor.look();
  }

  /**
   * The health of the inbox, component by component, and since when: the broker, the consumers, the
   * database, the lag, stuck messages, old transactions, pauses, circuit breakers and workers. It
   * is monitored continuously, at little cost; this call returns the last known state without
   * waiting.
   */
  @Override
  public Health health() {
    return monitor.health();
  }

  /** The dead messages: list, replay and discard them. */
  public synchronized DeadLetters deadLetters() {
    open();
    return deadLetters;
  }

  /** The messages that are still to be handled: list, expedite and discard them. */
  public synchronized PendingMessages pending() {
    open();
    return pending;
  }

  /** The quarantined deliveries: list, replay and discard them. */
  public synchronized Quarantine quarantine() {
    open();
    return quarantine;
  }

  /** Applies the retention on demand, instead of in a few minutes. */
  public synchronized RetentionRunner retention() {
    open();
    return retentionRunner;
  }

  /** Controls a subscription while it runs. */
  public synchronized SubscriptionControl control(String queue) {
    requireSubscribed(queue);
    open();
    return new SubscriptionControl(queue, store, processor);
  }

  /** What is waiting to be handled by any process; cheap enough to query every few seconds. */
  @Override
  public Backlog backlog(String queue) {
    requireSubscribed(queue);
    if (!opened) {
      deadLetters(); // opens
    }
    return store.backlog(queue);
  }

  /** The subscribed queues, each with the names of its event types. */
  @Override
  public Map<String, Set<String>> types() {
    return subscriptions.stream()
        .collect(Collectors.toUnmodifiableMap(Subscription::queue, it -> it.types().names()));
  }

  /** The subscribed queues, each with its topology. */
  public Map<String, Topology> topologies() {
    return subscriptions.stream()
        .collect(Collectors.toUnmodifiableMap(Subscription::queue, Subscription::topology));
  }

  private void requireSubscribed(String queue) {
    if (!checks.containsKey(queue)) {
      throw new InboxException(
          "'%s' is not subscribed by this inbox; it subscribes: %s"
              .formatted(
                  queue, checks.keySet().stream().sorted().collect(Collectors.joining(", "))));
    }
  }

  private void open() {
    if (closed) {
      throw new InboxException("this inbox is closed; build a new one");
    }
    if (opened) {
      return;
    }
    store.open();
    opened = true;
    monitor.start();
    listener.tell(l -> l.opened(new InboxListener.Opened(this)));
  }

  private void startUpkeep() {
    if (upkeep == null) {
      PeriodicTasks started = newUpkeep.get();
      started.start();
      upkeep = started;
    }
  }

  private void stopUpkeepUnlessNeeded() {
    if (upkeep != null && !processing && !receiving) {
      upkeep.close();
      upkeep = null;
    }
  }

  private static QuarantineAdoption.Door door(
      Subscription subscription, Map<String, DeliveryValidator> checks) {
    return new QuarantineAdoption.Door(
        subscription.types().names(), Objects.requireNonNull(checks.get(subscription.queue())));
  }

  /** The shortest poll interval of the workers, within limits. */
  private static Duration upkeepInterval(List<Subscription> subscriptions) {
    Duration poll =
        subscriptions.stream()
            .map(it -> it.options().pollInterval)
            .min(Comparator.naturalOrder())
            .orElse(MAX_UPKEEP_INTERVAL);
    return poll.compareTo(MIN_UPKEEP_INTERVAL) < 0
        ? MIN_UPKEEP_INTERVAL
        : poll.compareTo(MAX_UPKEEP_INTERVAL) > 0 ? MAX_UPKEEP_INTERVAL : poll;
  }

  private DeliveryReceiver<IntegrationEvent> deliveryReceiver(Subscription subscription) {
    String queue = subscription.queue();
    DeliveryReceiver<IntegrationEvent> deliveryReceiver =
        new StoringReceiver<>(
            queue,
            subscription.types(),
            Objects.requireNonNull(checks.get(queue)),
            processor.storing(queue),
            () -> probe(queue),
            listener,
            quarantineLog);
    return ReceiverMiddlewareChain.of(queue, receiveMiddleware, deliveryReceiver, failures);
  }

  /**
   * The health monitor queries the store every second anyway; only if it is down, it is queried
   * here.
   */
  private void probe(String queue) {
    if (monitor.isStoreDown()) {
      store.pauseOf(queue);
    }
  }

  private ConnectionListener tellAll() {
    return new ConnectionListener() {
      @Override
      public void connected(String endpoint) {
        listener.tell(l -> l.connected(new InboxListener.Connected(endpoint)));
      }

      @Override
      public void disconnected(String endpoint, Throwable cause) {
        listener.tell(l -> l.disconnected(new InboxListener.Disconnected(endpoint, cause)));
      }
    };
  }

  /** Closes the inbox with the builder's close deadline, which defaults to 30 s. */
  @Override
  public void close() {
    close(closeDeadline);
  }

  /**
   * Stops receiving and claiming, lets work in flight finish until the deadline, rolls back the
   * rest, and closes the transport and the store. A second call does nothing.
   */
  public void close(Duration deadline) {
    Duration time = deadline.compareTo(FOREVER) > 0 ? FOREVER : deadline;
    long until = System.nanoTime() + time.toNanos();
    closing = true; // a start that waits for the broker stops at the next queue
    closeUntil(until);
  }

  private synchronized void closeUntil(long until) {
    if (closed) {
      return;
    }
    closed = true;
    if (upkeep != null) {
      upkeep.close();
    }
    if (retentionJob != null) {
      retentionJob.close();
    }
    monitor.close();
    processor.stop();
    closeReceivers(until);
    processor.close(left(until));
    try {
      if (transport != null) {
        transport.close();
      }
      if (opened) {
        listener.tell(l -> l.closed(new InboxListener.Closed(this)));
      }
    } finally {
      quarantineLog.close();
      store.close();
    }
    log.info("The inbox is closed.");
  }

  /** Closes all receivers concurrently, so that a slow one does not delay the others. */
  private void closeReceivers(long until) {
    List<Thread> closers = new ArrayList<>();
    receivers.forEach(
        (queue, receiver) -> {
          Thread closer = new Thread(() -> receiver.close(left(until)), "inbox-close-" + queue);
          closers.add(closer);
          closer.start();
        });
    try {
      for (Thread closer : closers) {
        closer.join(left(until).plus(CLOSE_GRACE).toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration left(long until) {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }
}
