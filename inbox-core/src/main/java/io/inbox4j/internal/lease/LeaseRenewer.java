package io.inbox4j.internal.lease;

import io.inbox4j.internal.endpoint.FailureText;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.store.Lease;
import io.inbox4j.store.LeaseStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews the leases of all messages in flight, from their claim to the commit of their outcome. */
final class LeaseRenewer {

  private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);
  private static final int RENEWALS_PER_LEASE = 3;

  private final String endpoint;
  private final Duration time;
  private final LeaseStore store;
  private final Consumer<InFlightMessage> lost;
  private final Runnable orphanGone;
  private final Map<Lease, InFlightMessage> held = new ConcurrentHashMap<>();
  private final AtomicInteger orphans = new AtomicInteger();
  private final AtomicInteger isolated = new AtomicInteger();
  private final ScheduledThreadPoolExecutor clock;
  private @Nullable Future<?> renewals;

  /**
   * @param lost called with a message that another worker has claimed
   * @param orphanGone called when an orphaned message is no longer in flight
   */
  LeaseRenewer(
      String endpoint,
      Duration time,
      LeaseStore store,
      Consumer<InFlightMessage> lost,
      Runnable orphanGone) {
    this.endpoint = endpoint;
    this.time = time;
    this.store = store;
    this.lost = lost;
    this.orphanGone = orphanGone;
    this.clock =
        new ScheduledThreadPoolExecutor(
            2, // one for renewals, which may wait for the database, and one for timeouts
            work -> {
              Thread thread = new Thread(work, "inbox-leases-" + endpoint);
              thread.setDaemon(true);
              return thread;
            });
    clock.setRemoveOnCancelPolicy(true);
    clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  void start() {
    long interval = Math.max(1, time.toMillis() / RENEWALS_PER_LEASE);
    renewals = clock.scheduleWithFixedDelay(this::renew, interval, interval, TimeUnit.MILLISECONDS);
  }

  void keep(Collection<InFlightMessage> leased) {
    for (InFlightMessage one : leased) {
      count(one, 1);
      held.put(one.lease(), one);
    }
  }

  void release(InFlightMessage leased) {
    if (held.remove(leased.lease()) != null) {
      count(leased, -1);
      if (leased.message().orphaned()) {
        orphanGone.run();
      }
    }
  }

  Collection<InFlightMessage> held() {
    return List.copyOf(held.values());
  }

  /** How many messages are in flight, from their claim to the commit of their outcome. */
  int size() {
    return held.size();
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /** Whether an orphaned message is in flight. */
  boolean holdsOrphans() {
    return orphans.get() > 0;
  }

  /** Whether an isolated message is in flight. */
  boolean holdsIsolated() {
    return isolated.get() > 0;
  }

  private void count(InFlightMessage leased, int change) {
    if (leased.message().orphaned()) {
      orphans.addAndGet(change);
      isolated.addAndGet(leased.message().crashes() > 1 ? change : 0);
    }
  }

  /** Runs an action after the delay, unless it is cancelled. */
  Future<?> after(Duration delay, Runnable work) {
    return clock.schedule(() -> reporting(work), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void reporting(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) { // nobody checks its future
      log.error("What was to be done with a message of {} failed", endpoint, LoggedFailure.of(e));
    }
  }

  private void renew() {
    Set<Lease> leases = Set.copyOf(held.keySet());
    if (leases.isEmpty()) {
      return;
    }
    try {
      Set<Lease> still = store.renew(leases, time);
      for (Lease lease : leases) {
        InFlightMessage leased = still.contains(lease) ? null : held.get(lease);
        if (leased != null) {
          lost.accept(leased);
        }
      }
    } catch (Throwable e) { // an exception would cancel all renewals; the next one retries
      log.warn(
          "{} leases of {} were not renewed: {}", leases.size(), endpoint, FailureText.logged(e));
    }
  }

  /** Releases the leases of messages that were not handled. */
  void release(Collection<InFlightMessage> leased) {
    if (leased.isEmpty()) {
      return;
    }
    leased.forEach(this::release);
    try {
      store.release(leased.stream().map(InFlightMessage::lease).toList());
    } catch (Throwable e) { // the leases expire anyway
      log.warn(
          "{} messages of {} were not given back and are due when their lease ends: {}",
          leased.size(),
          endpoint,
          FailureText.logged(e));
    }
  }

  void stop() {
    if (renewals != null) {
      renewals.cancel(false);
    }
    clock.shutdownNow();
  }
}
