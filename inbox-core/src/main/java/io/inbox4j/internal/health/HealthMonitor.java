package io.inbox4j.internal.health;

import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.publish.Relay;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.listener.Health.Status;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreStatus;
import io.inbox4j.transport.ReceiverState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors the components of an inbox, from {@link #start} to {@link #close}.
 *
 * <p>One thread queries the store about once a second, and may have to wait for it. Another checks
 * all components twice a second and never waits. Neither keeps the process alive.
 */
public final class HealthMonitor implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HealthMonitor.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  private final StoreProbe store;
  private final SafeListener listener;
  private final Clock clock = Clock.systemUTC();
  private final List<String> endpoints = new CopyOnWriteArrayList<>();
  private final List<HealthComponent> parts = new CopyOnWriteArrayList<>();
  private final List<BackgroundLoop> loops = new CopyOnWriteArrayList<>();
  private volatile Health latest;
  private boolean closed;

  /**
   * @param maxTransactionAge the age up to which an open transaction is considered healthy
   */
  public HealthMonitor(InboxStore store, SafeListener listener, Duration maxTransactionAge) {
    this.store = new StoreProbe(store);
    this.listener = listener;
    this.latest = only("is not started");
    add("database", null, this.store::database);
    add(
        "transactions",
        null,
        () ->
            this.store.of(
                status -> StoreHealth.transactions(status.transactions(), maxTransactionAge)));
  }

  /** Monitors what is waiting at an endpoint. */
  public void waiting(String endpoint, Duration maxLag) {
    endpoints.add(endpoint);
    addWaiting("lag", endpoint, waiting -> StoreHealth.lag(waiting, maxLag));
    addWaiting("stuck", endpoint, StoreHealth::stuck);
    addWaiting("pause", endpoint, StoreHealth::pause);
  }

  private void addWaiting(
      String name, String endpoint, Function<StoreStatus.@Nullable Waiting, HealthFinding> look) {
    add(name, endpoint, () -> store.of(it -> look.apply(it.endpoints().get(endpoint))));
  }

  /** Monitors the receiver of an endpoint. */
  public void receiving(String endpoint, int consumers, Supplier<ReceiverState> state) {
    add("broker", endpoint, () -> ProcessHealth.broker(state.get()));
    add("consumers", endpoint, () -> ProcessHealth.consumers(state.get(), consumers));
  }

  /** Stops monitoring receivers. */
  public void notReceiving() {
    forget("broker", "consumers");
  }

  /** Monitors the workers of an endpoint, and its circuit breaker if it has one. */
  public void processing(String endpoint, boolean hasBreaker, InboxProcessor processor) {
    add("workers", endpoint, () -> ProcessHealth.workers(processor, endpoint));
    if (hasBreaker) {
      add("circuit", endpoint, () -> ProcessHealth.circuit(processor, endpoint));
    }
  }

  /** Stops monitoring workers. */
  public void notProcessing() {
    forget("workers", "circuit");
  }

  /** Monitors the relay of this process. */
  public void publishing(Relay relay) {
    add("publishing", null, () -> ProcessHealth.publishing(relay));
  }

  private void forget(String... names) {
    parts.removeIf(part -> List.of(names).contains(part.name()));
  }

  private void add(String name, @Nullable String endpoint, Supplier<HealthFinding> look) {
    parts.add(new HealthComponent(name, endpoint, look));
  }

  /** Starts monitoring. */
  public void start() {
    repeat("inbox-health-store", () -> store.ask(endpoints), store::pause);
    repeat("inbox-health", this::look, () -> LOOK_EVERY);
  }

  private void repeat(String name, Runnable work, Supplier<Duration> pause) {
    BackgroundLoop.Step step =
        loop -> {
          work.run();
          loop.pause(pause.get());
        };
    loops.add(new BackgroundLoop(name, "Looking at the health of the inbox", step).start());
  }

  /** Checks all components, without waiting for anything. */
  public void look() {
    List<Part> changed = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      Instant now = clock.instant();
      List<Part> found = new ArrayList<>();
      for (HealthComponent watched : parts) {
        Status before = watched.status();
        Part part = watched.look(now);
        found.add(part);
        if (part.status() != before) {
          changed.add(part);
        }
      }
      latest = Health.of(found);
    }
    changed.forEach(this::tell);
  }

  private void tell(Part part) {
    if (part.status() == Status.UP) {
      log.info("{}", part);
    } else {
      log.warn("{}", part);
    }
    listener.tell(l -> l.healthChanged(new InboxListener.HealthChanged(part)));
  }

  /** Whether the store did not answer the last query, or cannot be written to. */
  public boolean isStoreDown() {
    return store.database().status() == Status.DOWN;
  }

  /** The health at the last check. Does not wait. */
  public Health health() {
    return latest;
  }

  private Health only(String detail) {
    return Health.of(List.of(new Part("inbox", null, Status.DOWN, detail, clock.instant())));
  }

  /** Stops both threads without waiting for an answer from the store; the inbox is being closed. */
  @Override
  public synchronized void close() {
    closed = true;
    loops.forEach(BackgroundLoop::interrupt);
    latest = only("is closed");
  }
}
