package io.inbox4j.internal.lifecycle;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.health.HealthMonitor;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.internal.receive.QuarantineLog;
import io.inbox4j.internal.receive.ReceiverMiddlewareChain;
import io.inbox4j.internal.receive.StoringReceiver;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.transport.ConnectionListener;
import io.inbox4j.transport.DeliveryReceiver;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiverState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives from the queues of all endpoints. Started and stopped by one thread at a time. */
final class InboxReceiver {

  private static final Logger log = LoggerFactory.getLogger(InboxReceiver.class);
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

  private final InboxConfig config;
  private final Map<String, DeliveryValidator> validators;
  private final InboxProcessor processor;
  private final HealthMonitor monitor;
  private final QuarantineLog quarantineLog;
  private final Map<String, InboxTransport.Receiver> receivers = new ConcurrentHashMap<>();
  private final Set<String> connectedOnce = ConcurrentHashMap.newKeySet();

  InboxReceiver(
      InboxConfig config,
      Map<String, DeliveryValidator> validators,
      InboxProcessor processor,
      HealthMonitor monitor,
      QuarantineLog quarantineLog) {
    this.config = config;
    this.validators = validators;
    this.processor = processor;
    this.monitor = monitor;
    this.quarantineLog = quarantineLog;
  }

  /** Starts receiving from one queue after the other, until the inbox is being closed. */
  void start(InboxTransport transport, BooleanSupplier closing) {
    for (EndpointConfig endpoint : config.endpoints()) {
      if (closing.getAsBoolean()) {
        return;
      }
      log.info("Receiving {}", endpoint);
      String name = endpoint.endpoint();
      monitor.receiving(name, endpoint.queue().consumers(), () -> stateOf(name));
      receivers.put(
          name,
          transport.receive(
              endpoint.queue(), deliveryReceiver(endpoint), new Connections(config.listener())));
    }
  }

  /** Stops as {@link #close} does, and can be started again. */
  void stop(Deadline deadline) {
    monitor.notReceiving();
    close(deadline);
    receivers.clear();
  }

  /**
   * Closes all receivers concurrently, so that a slow one does not delay the others, at about the
   * deadline at the latest.
   */
  void close(Deadline deadline) {
    List<Thread> closers = new ArrayList<>();
    receivers.forEach(
        (queue, receiver) -> {
          Thread closer = new Thread(() -> receiver.close(deadline.left()), "inbox-close-" + queue);
          closers.add(closer);
          closer.start();
        });
    Deadline.in(deadline.left().plus(CLOSE_GRACE)).join(closers);
  }

  /** Whether every queue that is received from was connected once, and so is bound. */
  boolean haveConnected() {
    receivers.forEach(
        (queue, receiver) -> {
          if (receiver.state().connected()) {
            connectedOnce.add(queue);
          }
        });
    return connectedOnce.containsAll(receivers.keySet());
  }

  private ReceiverState stateOf(String queue) {
    InboxTransport.Receiver receiver = receivers.get(queue);
    return receiver == null ? ReceiverState.connecting() : receiver.state();
  }

  private DeliveryReceiver<IntegrationEvent> deliveryReceiver(EndpointConfig endpoint) {
    String name = endpoint.endpoint();
    return ReceiverMiddlewareChain.of(
        name,
        config.receiveMiddleware(),
        new StoringReceiver<>(
            name,
            endpoint.types(),
            Objects.requireNonNull(validators.get(name)),
            processor.storing(name),
            () -> probe(name),
            config.listener(),
            quarantineLog),
        config.failures());
  }

  /**
   * The health monitor queries the store every second anyway; only if it is down, it is queried
   * here.
   */
  private void probe(String queue) {
    if (monitor.isStoreDown()) {
      config.store().pauseOf(queue);
    }
  }

  /** Tells the listeners when connections are made and lost. */
  private record Connections(SafeListener listener) implements ConnectionListener {

    @Override
    public void connected(String endpoint) {
      listener.tell(l -> l.connected(new InboxListener.Connected(endpoint)));
    }

    @Override
    public void disconnected(String endpoint, Throwable cause) {
      listener.tell(l -> l.disconnected(new InboxListener.Disconnected(endpoint, cause)));
    }
  }
}
