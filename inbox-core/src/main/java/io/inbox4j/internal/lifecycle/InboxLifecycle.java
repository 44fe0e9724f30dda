package io.inbox4j.internal.lifecycle;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.health.HealthMonitor;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.loop.PeriodicTasks;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.publish.Relay;
import io.inbox4j.internal.publish.RelayReports;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.internal.receive.QuarantineAdoption;
import io.inbox4j.internal.receive.QuarantineLog;
import io.inbox4j.internal.registry.ProcessRegistration;
import io.inbox4j.internal.retain.RetentionJob;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.listener.ObservedInbox;
import io.inbox4j.operations.ProcessInfo.Role;
import io.inbox4j.transport.InboxTransport;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens, starts and closes the parts of an inbox in the right order. A start that fails stops what
 * it had started. Thread-safe.
 */
public final class InboxLifecycle {

  private static final Duration FOREVER = Duration.ofDays(365);
  private static final Logger log = LoggerFactory.getLogger(InboxLifecycle.class);

  /** Held while the store is being prepared. */
  private final Object opening = new Object();

  private final InboxConfig config;
  private final ObservedInbox inbox;
  private final InboxProcessor processor;
  private final HealthMonitor monitor;
  private final InboxReceiver receiver;
  private final PeriodicTasks upkeep;
  private final QuarantineLog quarantineLog;
  private final ProcessRegistration registration;
  private @Nullable RetentionJob retentionJob;
  private @Nullable Relay relay;
  private boolean receiving;
  private boolean processing;
  private volatile boolean opened;
  private volatile boolean closing;
  private boolean closed;
  private volatile boolean ended;

  /**
   * @param validators the validator of every endpoint
   * @param inbox the inbox that listeners are told of
   */
  public InboxLifecycle(
      InboxConfig config,
      Map<String, DeliveryValidator> validators,
      InboxProcessor processor,
      ObservedInbox inbox) {
    this.config = config;
    this.inbox = inbox;
    this.processor = processor;
    this.monitor = new HealthMonitor(config.store(), config.listener(), config.maxTransactionAge());
    this.quarantineLog = new QuarantineLog(config.store()::processes);
    this.registration =
        new ProcessRegistration(
            config.store(),
            config.process(),
            config.endpoints().stream()
                .collect(
                    Collectors.toMap(EndpointConfig::endpoint, it -> it.handledTypes().names())));
    this.receiver = new InboxReceiver(config, validators, processor, monitor, quarantineLog);
    QuarantineAdoption adoption =
        new QuarantineAdoption(
            config.store(), inbox.types(), validators, config.listener(), processor::wake);
    this.upkeep =
        new PeriodicTasks(
            config.upkeepInterval(),
            List.of(quarantineLog::report, () -> adoption.look(() -> closing)));
    config.endpoints().forEach(it -> monitor.waiting(it.endpoint(), it.maxLag()));
  }

  /** The health at the last check. Does not wait. */
  public Health health() {
    return monitor.health();
  }

  /**
   * Prepares the store and starts monitoring, unless that is done. The store may wait for another
   * process; {@link #close} does not wait with it, so it is not prepared under the lock of the
   * other methods.
   */
  public void open() {
    requireNotClosed(closing); // also here, for a listener that is told of the end
    synchronized (opening) {
      requireNotClosed(closing);
      if (!opened) {
        config.store().open();
        monitor();
      }
    }
  }

  private synchronized void monitor() {
    requireNotClosed(closed);
    opened = true;
    monitor.start();
    config.listener().tell(l -> l.opened(new InboxListener.Opened(inbox)));
  }

  /** Throws unless the inbox is open, or is being closed; does not wait. */
  public void requireOpen() {
    requireNotClosed(ended);
    if (!opened) {
      throw new InboxException("this inbox is not open; call open() or start() first");
    }
  }

  private static void requireNotClosed(boolean isClosed) {
    if (isClosed) {
      throw new InboxException("this inbox is closed; build a new one");
    }
  }

  public void start() {
    requireTransport();
    requireHandlers();
    open();
    startBoth();
  }

  public void startReceiving() {
    requireTransport();
    requireSubscriptions();
    open();
    receive();
  }

  public void startProcessing() {
    requireHandlers();
    open();
    process();
  }

  public void startPublishing() {
    requireTransport();
    open();
    publish();
  }

  private synchronized void startBoth() {
    requireNotReceiving();
    process();
    orElse(this::receive, this::stopProcessing);
    if (relay == null) {
      orElse(this::publish, this::stopBoth);
    }
  }

  private void stopBoth() {
    orElse(this::stopReceiving, this::stopProcessing);
    stopProcessing();
  }

  private synchronized void publish() {
    requireNotClosed(closed);
    if (relay != null) {
      throw new InboxException("this inbox is publishing already");
    }
    Relay started =
        new Relay(
            config.store(),
            requireTransport(),
            config.whenUnroutable(),
            new RelayReports(config.listener()),
            receiver::haveConnected);
    orElse(started::start, () -> started.close(Deadline.in(config.closeDeadline())));
    relay = started;
    monitor.publishing(started);
    registration.update(roles());
    monitor.look();
  }

  private Set<Role> roles() {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    if (receiving) {
      roles.add(Role.RECEIVING);
    }
    if (processing) {
      roles.add(Role.PROCESSING);
    }
    if (relay != null) {
      roles.add(Role.PUBLISHING);
    }
    return roles;
  }

  private synchronized void receive() {
    requireNotClosed(closed);
    requireNotReceiving();
    InboxTransport transport = requireTransport();
    upkeep.start();
    receiving = true;
    orElse(() -> receiver.start(transport, () -> closing), this::stopReceiving);
    registration.update(roles());
    monitor.look();
  }

  private synchronized void process() {
    requireNotClosed(closed);
    if (processing) {
      throw new InboxException("this inbox is processing already");
    }
    upkeep.start();
    processing = true;
    orElse(this::processAll, this::stopProcessing);
    registration.update(roles());
    monitor.look();
  }

  private void processAll() {
    config.handled().forEach(it -> log.info("Processing {}", it));
    processor.start();
    RetentionJob started =
        new RetentionJob(config.store(), config.handledNames(), config.retention());
    retentionJob = started;
    started.start();
    for (EndpointConfig endpoint : config.handled()) {
      monitor.processing(endpoint.endpoint(), endpoint.breaker() != null, processor);
    }
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

  private void stopReceiving() {
    if (closed) {
      return;
    }
    receiver.stop(Deadline.in(config.closeDeadline()));
    receiving = false;
    registration.update(roles());
    stopUpkeepUnlessNeeded();
    monitor.look();
  }

  private void stopProcessing() {
    if (closed) {
      return;
    }
    monitor.notProcessing();
    stopRetention();
    processor.withdraw(config.closeDeadline());
    processing = false;
    registration.update(roles());
    stopUpkeepUnlessNeeded();
    monitor.look();
  }

  private void stopUpkeepUnlessNeeded() {
    if (!processing && !receiving) {
      upkeep.close();
    }
  }

  private void stopRetention() {
    if (retentionJob != null) {
      retentionJob.close();
      retentionJob = null;
    }
  }

  private void requireSubscriptions() {
    if (config.endpoints().isEmpty()) {
      throw new InboxException(
          "no queue is subscribed; expected at least one .subscribe(queue, event, handler), or startPublishing()");
    }
  }

  private void requireHandlers() {
    requireSubscriptions();
    if (config.handled().isEmpty()) {
      throw new InboxException(
          "no subscription has a handler, so there is nothing to process; registered are: %s"
              .formatted(
                  config.endpoints().stream()
                      .map(it -> "'%s' [%s]".formatted(it.endpoint(), it.types()))
                      .collect(Collectors.joining(", "))));
    }
  }

  private InboxTransport requireTransport() {
    if (config.transport() == null) {
      throw new InboxException(
          "no transport given to receive from; expected .transport(…), or startProcessing()");
    }
    return config.transport();
  }

  private void requireNotReceiving() {
    if (receiving) {
      throw new InboxException("this inbox is receiving already");
    }
  }

  /** Lets work in flight finish until the deadline, and closes everything. */
  public void close(Duration deadline) {
    closing = true; // a start that waits for the broker stops at the next queue
    closeUntil(Deadline.in(deadline.compareTo(FOREVER) > 0 ? FOREVER : deadline));
  }

  private synchronized void closeUntil(Deadline deadline) {
    if (closed) {
      return;
    }
    closed = true;
    upkeep.close();
    stopRetention();
    monitor.close();
    processor.stop();
    receiver.close(deadline);
    processor.close(deadline.left());
    if (relay != null) {
      relay.close(deadline); // last, because handlers have published until now
    }
    registration.close(deadline.left());
    try {
      if (config.transport() != null) {
        config.transport().close();
      }
      if (opened) {
        config.listener().tell(l -> l.closed(new InboxListener.Closed(inbox)));
      }
    } finally {
      quarantineLog.close();
      ended = true;
      config.store().close();
    }
    log.info("The inbox is closed.");
  }
}
