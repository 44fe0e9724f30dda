package io.inbox4j.memory;

import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.StoreUnavailableException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The data that stores share, as processes share a database. One lock guards all of it. */
final class MemoryTables {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** What a process wants to be kept. */
  record Declaration(String endpoint, Retention retention) {}

  final NavigableMap<Long, PendingRow> pending = new TreeMap<>();
  final NavigableMap<Long, DeadRow> dead = new TreeMap<>();
  final NavigableMap<Long, FinishedRow> finished = new TreeMap<>();
  final NavigableMap<Long, QuarantineRow> quarantine = new TreeMap<>();
  final Map<StoredMessage.Identity, StoredMessage> messages = new HashMap<>();
  final Map<Long, List<FailedAttempt>> attempts = new HashMap<>();
  final List<Intervention> interventions = new ArrayList<>();
  final Map<String, Pause> pauses = new HashMap<>();
  final Map<UUID, RunningProcess> processes = new HashMap<>();
  final Map<Declaration, Instant> declarations = new HashMap<>();
  final List<FinishedRow> archive = new ArrayList<>();
  final List<String> effects = new ArrayList<>();
  final MemoryOutbox outbox = new MemoryOutbox();

  /** The open transactions, and which of them has claimed a message. */
  final Set<MemoryWorkTransaction> open = new LinkedHashSet<>();

  final Map<Long, MemoryChanges> claims = new HashMap<>();
  final List<Consumer<String>> watchers = new CopyOnWriteArrayList<>();
  final List<Runnable> outboxWatchers = new CopyOnWriteArrayList<>();
  boolean retaining;

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition transactionEnded = lock.newCondition();
  private boolean down;
  private long lastSequence;
  private long lastQuarantined;
  private long lastLease;

  MemoryTables(Clock clock) {
    this.clock = clock;
  }

  <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      if (down) {
        throw unavailable("the in-memory store is down");
      }
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Runs what has to be possible even while the store is down. */
  void whileUpOrDown(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }

  static StoreUnavailableException unavailable(String why) {
    return new StoreUnavailableException(why, new IllegalStateException(why));
  }

  /** Ends all transactions, as a crash does, and lets everything fail until it is up again. */
  void down(boolean isDown) {
    whileUpOrDown(
        () -> {
          List.copyOf(open).forEach(MemoryWorkTransaction::lose);
          down = isDown;
        });
  }

  Instant now() {
    return clock.instant();
  }

  long nextSequence() {
    return ++lastSequence;
  }

  long nextQuarantined() {
    return ++lastQuarantined;
  }

  long nextLease() {
    return ++lastLease;
  }

  boolean isClaimed(long sequence) {
    return claims.containsKey(sequence);
  }

  /** Waits until no other transaction is in the way. */
  void awaitUntil(BooleanSupplier free) {
    long left = PATIENCE.toNanos();
    while (!free.getAsBoolean()) {
      try {
        left = transactionEnded.awaitNanos(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        left = 0;
      }
      if (left <= 0) {
        throw unavailable("another transaction of the in-memory store is in the way");
      }
    }
  }

  void ended(MemoryWorkTransaction transaction) {
    open.remove(transaction);
    claims.values().removeIf(transaction.changes::equals);
    transactionEnded.signalAll();
  }

  /** Adds a failed attempt to the history, of which the first and the last ones are kept. */
  void failed(long sequence, int attempt, AttemptFailure failure, Instant now) {
    List<FailedAttempt> history = attempts.computeIfAbsent(sequence, it -> new ArrayList<>());
    int number = history.isEmpty() ? 1 : history.get(history.size() - 1).number() + 1;
    history.add(
        new FailedAttempt(
            number,
            attempt,
            now,
            failure.took(),
            failure.process(),
            failure.errorClass(),
            failure.error(),
            failure.fingerprint()));
    history.removeIf(
        it ->
            it.number() > FailedAttempt.FIRST_KEPT
                && it.number() <= number - FailedAttempt.LAST_KEPT);
  }

  /** Must be called without the lock. */
  void announce(String endpoint) {
    watchers.forEach(watcher -> watcher.accept(endpoint));
  }

  /** Must be called without the lock. */
  void announceOutgoing() {
    outboxWatchers.forEach(Runnable::run);
  }
}
