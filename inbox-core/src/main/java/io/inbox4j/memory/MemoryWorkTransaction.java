package io.inbox4j.memory;

import io.inbox4j.error.InboxException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A transaction whose changes are its own until it commits. */
final class MemoryWorkTransaction implements WorkTransaction {

  private enum State {
    OPEN,
    COMMITTED,
    ROLLED_BACK,
    /** By a handler. */
    ENDED,
    LOST
  }

  /** What an undo goes back to. */
  private record Savepoint(
      Map<Long, PendingRow> changed, int effects, @Nullable RuntimeException deferred) {}

  private record Crash(long sequence, int attempt) {}

  final String endpoint;
  final MemoryTables tables;
  final Instant began;

  /** The messages that it has received, and the deliveries that it has put into the quarantine. */
  final Map<StoredMessage.Identity, StoredMessage> received = new HashMap<>();

  final List<QuarantineRow> quarantined = new ArrayList<>();

  /** The ordering keys of claimed messages. */
  final Set<String> keys = new HashSet<>();

  private final Map<Long, PendingRow> changed = new HashMap<>();
  private final Set<Long> claimed = new LinkedHashSet<>();
  private final List<Crash> crashes = new ArrayList<>();
  private final List<String> effects = new ArrayList<>();
  private @Nullable Savepoint savepoint;
  private @Nullable RuntimeException deferred;
  private volatile State state = State.OPEN;
  private boolean aborted;
  private boolean lossNoticed;
  private int toHandle;

  MemoryWorkTransaction(String endpoint, MemoryTables tables) {
    this.endpoint = endpoint;
    this.tables = tables;
    this.began = tables.now();
    tables.open.add(this);
  }

  @Override
  public List<ClaimedMessage> claim(Set<String> types, int limit) {
    return run(() -> claimed(new MemoryClaim(this).due(types, limit)));
  }

  @Override
  public List<ClaimedMessage> claimOrdered(Set<String> types, int limit) {
    return run(() -> claimed(new MemoryClaim(this).ordered(types, limit, false)));
  }

  @Override
  public List<ClaimedMessage> claimFirstOfKeys(Set<String> types, int limit) {
    return run(() -> claimed(new MemoryClaim(this).ordered(types, limit, true)));
  }

  @Override
  public List<StoreResult> receive(List<ValidatedDelivery> batch) {
    return run(
        () -> {
          List<StoreResult> results = new MemoryReceiving(this).receive(batch);
          // A duplicate may stem from an attempt about which nobody was notified.
          toHandle +=
              (int)
                  results.stream()
                      .filter(it -> it == StoreResult.STORED || it == StoreResult.DUPLICATE)
                      .count();
          return results;
        });
  }

  @Override
  public List<ClaimedMessage> claimReceived(Set<String> types) {
    return run(() -> claimed(new MemoryClaim(this).received(types)));
  }

  @Override
  public List<Lease> lease(List<ClaimedMessage> messages, Duration time) {
    return run(
        () -> {
          Instant until = tables.now().plus(time);
          long token = tables.nextLease();
          for (ClaimedMessage message : messages) {
            if (message.orphaned() && message.crashes() > 1) {
              crashes.add(new Crash(message.sequence(), message.attempt()));
            }
            change(message.sequence(), row -> row.leased(token, message.orphaned(), until));
          }
          return messages.stream().map(it -> new Lease(it.sequence(), token)).toList();
        });
  }

  @Override
  public Set<Lease> claimLeased(Collection<Lease> leases) {
    return run(
        () -> {
          Set<Lease> mine = holding(leases);
          mine.removeIf(lease -> isClaimedByAnother(lease.sequence()));
          mine.forEach(lease -> take(lease.sequence()));
          return mine;
        });
  }

  @Override
  public Set<Lease> held(Collection<Lease> leases) {
    return run(() -> holding(leases));
  }

  private Set<Lease> holding(Collection<Lease> leases) {
    Set<Lease> holding = new HashSet<>(leases);
    holding.removeIf(
        lease -> {
          PendingRow row = row(lease.sequence());
          return row == null || !row.hasLease(lease.token());
        });
    return holding;
  }

  @Override
  public List<ClaimedMessage> claimDue(List<Long> sequences) {
    return run(() -> claimed(new MemoryClaim(this).theseIfDue(sequences)));
  }

  @Override
  public List<ClaimedMessage> claimAtRisk(List<Long> sequences) {
    return run(() -> claimed(new MemoryClaim(this).theseAtRisk(sequences)));
  }

  @Override
  public List<ClaimedMessage> reclaim(List<Long> sequences) {
    return run(() -> claimed(new MemoryClaim(this).these(sequences)));
  }

  @Override
  public void markCrashRisk(List<Long> sequences, Duration holdBack) {
    run(
        () -> {
          Instant until = tables.now().plus(holdBack);
          sequences.forEach(sequence -> change(sequence, row -> row.atRisk(until)));
          return true;
        });
  }

  @Override
  public void restoreUnclaimed(List<ClaimedMessage> atRisk) {
    run(
        () -> {
          Instant now = tables.now();
          for (ClaimedMessage message : atRisk) {
            PendingRow row = row(message.sequence());
            if (row != null
                && row.crashes() == message.crashes()
                && row.lease() == null
                && !isClaimedByAnother(message.sequence())) {
              change(message.sequence(), it -> it.restored(now));
            }
          }
          return true;
        });
  }

  @Override
  public void clearCrashRisk(List<Long> sequences) {
    run(
        () -> {
          for (long sequence : sequences) {
            tables.awaitUntil(() -> !isClaimedByAnother(sequence));
            change(sequence, row -> row.crashes() > 0 ? row.cleared(tables.now()) : row);
          }
          return true;
        });
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type == InMemoryTransaction.class) {
      return type.cast(new InMemoryTransaction(this));
    }
    throw new IllegalArgumentException(
        "%s is not what the in-memory store has; expected %s"
            .formatted(type.getName(), InMemoryTransaction.class.getName()));
  }

  void record(String effect) {
    run(() -> effects.add(effect));
  }

  void abort() {
    run(() -> aborted = true);
  }

  void failAtCommit(RuntimeException failure) {
    run(() -> deferred = failure);
  }

  void end() {
    run(
        () -> {
          apply();
          state = State.ENDED;
          return true;
        });
  }

  void lose() {
    tables.locked(
        () -> {
          if (state == State.OPEN) {
            rollBack();
            state = State.LOST;
          }
          return true;
        });
  }

  @Override
  public void savepoint() {
    run(() -> savepoint = new Savepoint(Map.copyOf(changed), effects.size(), deferred));
  }

  @Override
  public boolean isEnded() {
    return state == State.ENDED;
  }

  @Override
  public boolean isLost() {
    return lossNoticed;
  }

  @Override
  public void check() {
    run(
        () -> {
          if (deferred != null) {
            aborted = true;
            throw deferred;
          }
          return true;
        });
  }

  @Override
  public void releaseSavepoint() {
    run(() -> savepoint = null);
  }

  @Override
  public void rollbackToSavepoint() {
    lossNoticed |= state == State.LOST;
    tables.locked(
        () -> {
          requireOpen();
          Savepoint before = savepoint;
          if (before == null) {
            throw new InboxException("there is no savepoint to go back to");
          }
          changed.clear();
          changed.putAll(before.changed);
          effects.subList(before.effects, effects.size()).clear();
          deferred = before.deferred;
          savepoint = null;
          aborted = false;
          return true;
        });
  }

  @Override
  public void commit(List<Outcome> outcomes) {
    boolean left =
        run(
            () -> {
              if (deferred != null) {
                rollBack();
                throw deferred;
              }
              requireAll(outcomes);
              apply();
              settle(outcomes);
              state = State.COMMITTED;
              return toHandle
                  > outcomes.stream().filter(Outcome.Processed.class::isInstance).count();
            });
    if (left) { // some may be left for the workers
      tables.announce(endpoint);
    }
  }

  private void requireAll(List<Outcome> outcomes) {
    long gone =
        outcomes.stream()
            .mapToLong(Outcome::sequence)
            .filter(sequence -> row(sequence) == null || isClaimedByAnother(sequence))
            .count();
    if (gone > 0) {
      throw new InboxException(
          "%d of %d messages of %s were not there any more when they got their outcome; the batch is undone"
              .formatted(gone, outcomes.size(), endpoint));
    }
  }

  /** Makes visible to others what was done, and frees the messages. */
  private void apply() {
    Instant now = tables.now();
    received.values().forEach(message -> tables.messages.put(message.identity(), message));
    quarantined.forEach(row -> tables.quarantine.put(row.sequence(), row));
    tables.pending.putAll(changed);
    claimed.forEach(
        sequence -> tables.pending.computeIfPresent(sequence, (key, row) -> row.uninterrupted()));
    crashes.forEach(
        crash ->
            tables.failed(
                crash.sequence, crash.attempt, AttemptFailure.crash(AttemptFailure.DIED), now));
    tables.effects.addAll(effects);
    tables.ended(this);
  }

  private void settle(List<Outcome> outcomes) {
    Instant now = tables.now();
    for (Outcome outcome : outcomes) {
      PendingRow row = tables.pending.remove(outcome.sequence());
      if (outcome instanceof Outcome.Processed) {
        tables.finished.put(
            row.sequence(), new FinishedRow(row.message(), now, row.attemptsAfterThis()));
      } else if (outcome instanceof Outcome.Retry retry) {
        tables.failed(row.sequence(), row.attemptsAfterThis(), retry.failure(), now);
        tables.pending.put(
            row.sequence(), row.retried(now.plus(retry.delay()), retry.error(), retry.alone()));
      } else if (outcome instanceof Outcome.Postponed postponed) {
        tables.pending.put(row.sequence(), row.postponed(time(postponed.when(), now)));
      } else if (outcome instanceof Outcome.Dead dead) {
        tables.failed(row.sequence(), row.attemptsAfterThis(), dead.failure(), now);
        tables.dead.put(row.sequence(), MemoryOperations.dead(tables, row, dead, now));
      }
    }
  }

  private static Instant time(Postpone.When when, Instant now) {
    return when instanceof Postpone.When.At at
        ? at.time()
        : now.plus(((Postpone.When.After) when).delay());
  }

  @Override
  public void close() {
    tables.whileUpOrDown(
        () -> {
          if (state == State.OPEN) {
            rollBack();
          }
        });
  }

  /** What was claimed is orphaned. */
  private void rollBack() {
    claimed.forEach(
        sequence -> tables.pending.computeIfPresent(sequence, (key, row) -> row.interrupt()));
    tables.ended(this);
    state = State.ROLLED_BACK;
  }

  /** The messages that are to be handled, as this transaction sees them. */
  NavigableMap<Long, PendingRow> rows() {
    if (changed.isEmpty()) {
      return tables.pending;
    }
    NavigableMap<Long, PendingRow> rows = new TreeMap<>(tables.pending);
    rows.putAll(changed);
    return rows;
  }

  @Nullable PendingRow row(long sequence) {
    PendingRow mine = changed.get(sequence);
    return mine == null ? tables.pending.get(sequence) : mine;
  }

  void change(long sequence, UnaryOperator<PendingRow> change) {
    PendingRow row = row(sequence);
    if (row != null) {
      take(sequence);
      changed.put(sequence, change.apply(row));
    }
  }

  void insert(PendingRow row) {
    received.put(row.message().identity(), row.message());
    changed.put(row.sequence(), row);
  }

  boolean hasClaimed() {
    return !claimed.isEmpty();
  }

  boolean hasClaimed(long sequence) {
    return claimed.contains(sequence);
  }

  boolean isClaimedByAnother(long sequence) {
    MemoryWorkTransaction holder = tables.claims.get(sequence);
    return holder != null && holder != this;
  }

  private List<ClaimedMessage> claimed(List<PendingRow> rows) {
    Instant now = tables.now();
    rows.forEach(row -> take(row.sequence()));
    return rows.stream().map(row -> row.claimed(now)).toList();
  }

  private void take(long sequence) {
    PendingRow row = row(sequence);
    claimed.add(sequence);
    tables.claims.put(sequence, this);
    if (row != null && row.key() != null) {
      keys.add(row.key());
    }
  }

  private <T extends @Nullable Object> T run(Supplier<T> work) {
    lossNoticed |= state == State.LOST;
    return tables.locked(
        () -> {
          requireOpen();
          if (aborted) {
            throw new AbortedTransactionException(
                new IllegalStateException("the in-memory transaction was aborted"));
          }
          return work.get();
        });
  }

  private void requireOpen() {
    if (state == State.LOST) {
      throw MemoryTables.unavailable("the connection to the in-memory store was lost");
    }
    if (state == State.ENDED) {
      throw new TransactionEndedException();
    }
    if (state != State.OPEN) {
      throw new IllegalStateException("the transaction is over: " + state);
    }
  }
}
