package io.inbox4j.memory;

import io.inbox4j.error.InboxException;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
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

  final MemoryChanges changes;
  final Instant began;

  private final MemoryTables tables;
  private MemoryChanges.@Nullable Savepoint savepoint;
  private volatile State state = State.OPEN;
  private boolean aborted;
  private boolean lossNoticed;
  private int toHandle;
  private boolean more;

  MemoryWorkTransaction(String endpoint, MemoryTables tables) {
    this.changes = new MemoryChanges(endpoint, tables);
    this.tables = tables;
    this.began = tables.now();
    tables.open.add(this);
  }

  @Override
  public List<ClaimedMessage> claim(Set<String> types, int limit) {
    return claim(types, limit, false);
  }

  @Override
  public List<ClaimedMessage> claimFirstOfKeys(Set<String> types, int limit) {
    return claim(types, limit, true);
  }

  private List<ClaimedMessage> claim(Set<String> types, int limit, boolean onlyFirstOfKeys) {
    List<ClaimedMessage> claimed =
        run(() -> changes.claim(new MemoryClaim(changes).due(types, limit, onlyFirstOfKeys)));
    more |= claimed.size() == limit || claimed.stream().anyMatch(it -> it.orderingKey() != null);
    return claimed;
  }

  @Override
  public boolean mayHaveMore() {
    return more;
  }

  @Override
  public List<StoreResult> receive(List<ValidatedDelivery> batch) {
    return run(
        () -> {
          List<StoreResult> results = new MemoryReceiving(changes).receive(batch);
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
    return run(() -> changes.claim(new MemoryClaim(changes).received(types)));
  }

  @Override
  public List<Lease> lease(List<ClaimedMessage> messages, Duration time) {
    return run(
        () -> {
          Instant until = tables.now().plus(time);
          long token = tables.nextLease();
          for (ClaimedMessage message : messages) {
            if (message.orphaned() && message.crashes() > 1) {
              changes.crashed(message);
            }
            changes.change(message.sequence(), row -> row.leased(token, message.orphaned(), until));
          }
          return messages.stream().map(it -> new Lease(it.sequence(), token)).toList();
        });
  }

  @Override
  public Set<Lease> claimLeased(Collection<Lease> leases) {
    return run(
        () -> {
          Set<Lease> mine = changes.holding(leases);
          mine.removeIf(lease -> changes.isClaimedByAnother(lease.sequence()));
          mine.forEach(lease -> changes.take(lease.sequence()));
          return mine;
        });
  }

  @Override
  public Set<Lease> held(Collection<Lease> leases) {
    return run(() -> changes.holding(leases));
  }

  @Override
  public List<ClaimedMessage> claimDue(List<Long> sequences) {
    return run(() -> changes.claim(new MemoryClaim(changes).theseIfDue(sequences)));
  }

  @Override
  public List<ClaimedMessage> claimAtRisk(List<Long> sequences) {
    return run(() -> changes.claim(new MemoryClaim(changes).theseAtRisk(sequences)));
  }

  @Override
  public List<ClaimedMessage> reclaim(List<Long> sequences) {
    return run(() -> changes.claim(new MemoryClaim(changes).these(sequences)));
  }

  @Override
  public void markCrashRisk(List<Long> sequences, Duration holdBack) {
    run(
        () -> {
          Instant until = tables.now().plus(holdBack);
          sequences.forEach(sequence -> changes.change(sequence, row -> row.atRisk(until)));
          return true;
        });
  }

  @Override
  public void restoreUnclaimed(List<ClaimedMessage> atRisk) {
    run(
        () -> {
          Instant now = tables.now();
          for (ClaimedMessage message : atRisk) {
            PendingRow row = changes.row(message.sequence());
            if (row != null
                && row.crashes() == message.crashes()
                && row.lease() == null
                && !changes.isClaimedByAnother(message.sequence())) {
              changes.change(message.sequence(), it -> it.restored(now));
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
            tables.awaitUntil(() -> !changes.isClaimedByAnother(sequence));
            changes.change(sequence, row -> row.crashes() > 0 ? row.cleared(tables.now()) : row);
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

  @Override
  public void write(List<Write> writes) {
    for (Write write : writes) {
      record(
          write.arguments().isEmpty()
              ? write.statement()
              : "%s %s".formatted(write.statement(), write.arguments()));
    }
  }

  void record(String effect) {
    run(
        () -> {
          changes.effect(effect);
          return true;
        });
  }

  void abort() {
    run(() -> aborted = true);
  }

  void failAtCommit(RuntimeException failure) {
    run(
        () -> {
          changes.deferFailure(failure);
          return true;
        });
  }

  void end() {
    run(
        () -> {
          changes.publish();
          over(State.ENDED);
          return true;
        });
  }

  void lose() {
    tables.locked(
        () -> {
          rollBack(State.LOST);
          return true;
        });
  }

  @Override
  public void savepoint() {
    run(() -> savepoint = changes.savepoint());
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
          RuntimeException failure = changes.deferredFailure();
          if (failure != null) {
            aborted = true;
            throw failure;
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
          MemoryChanges.Savepoint before = savepoint;
          if (before == null) {
            throw new InboxException("there is no savepoint to go back to");
          }
          changes.rollBackTo(before);
          savepoint = null;
          aborted = false;
          return true;
        });
  }

  @Override
  public void publish(List<StoredOutgoing> messages) {
    run(
        () -> {
          changes.send(messages);
          return true;
        });
  }

  @Override
  public void commit(List<Outcome> outcomes) {
    boolean left =
        run(
            () -> {
              RuntimeException failure = changes.deferredFailure();
              if (failure != null) {
                rollBack(State.ROLLED_BACK);
                throw failure;
              }
              changes.requireAll(outcomes);
              changes.publish();
              changes.settle(outcomes);
              over(State.COMMITTED);
              return toHandle
                  > outcomes.stream().filter(Outcome.Processed.class::isInstance).count();
            });
    if (left) { // some may be left for the workers
      tables.announce(changes.endpoint);
    }
    if (changes.hasOutgoing()) {
      tables.announceOutgoing();
    }
  }

  @Override
  public void close() {
    tables.whileUpOrDown(() -> rollBack(State.ROLLED_BACK));
  }

  private void rollBack(State then) {
    if (state == State.OPEN) {
      changes.interrupt();
      over(then);
    }
  }

  private void over(State how) {
    tables.ended(this);
    state = how;
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
