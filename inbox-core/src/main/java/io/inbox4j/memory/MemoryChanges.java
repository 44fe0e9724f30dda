package io.inbox4j.memory;

import io.inbox4j.error.InboxException;
import io.inbox4j.handler.Postpone;
import io.inbox4j.store.AttemptFailure;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredOutgoing;
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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a transaction has claimed and changed; nobody else sees it before it is published. */
final class MemoryChanges {

  /** What an undo goes back to. */
  record Savepoint(
      Map<Long, PendingRow> changed,
      int effects,
      int outgoing,
      @Nullable RuntimeException deferred) {}

  private record Crash(long sequence, int attempt) {}

  final String endpoint;
  final MemoryTables tables;

  /** The messages that it has received, and the deliveries that it has put into the quarantine. */
  final Map<StoredMessage.Identity, StoredMessage> received = new HashMap<>();

  final List<QuarantineRow> quarantined = new ArrayList<>();

  /** The ordering keys of claimed messages. */
  final Set<String> keys = new HashSet<>();

  private final Map<Long, PendingRow> changed = new HashMap<>();
  private final Set<Long> claimed = new LinkedHashSet<>();
  private final List<Crash> crashes = new ArrayList<>();
  private final List<String> effects = new ArrayList<>();
  private final List<StoredOutgoing> outgoing = new ArrayList<>();
  private @Nullable RuntimeException deferred;

  MemoryChanges(String endpoint, MemoryTables tables) {
    this.endpoint = endpoint;
    this.tables = tables;
  }

  void effect(String name) {
    effects.add(name);
  }

  void send(List<StoredOutgoing> messages) {
    outgoing.addAll(messages);
  }

  boolean hasOutgoing() {
    return !outgoing.isEmpty();
  }

  /** Lets the transaction fail when its constraints are checked. */
  void deferFailure(RuntimeException failure) {
    deferred = failure;
  }

  @Nullable RuntimeException deferredFailure() {
    return deferred;
  }

  /** Notes that the last attempt of a message ended with a crash of its process. */
  void crashed(ClaimedMessage message) {
    crashes.add(new Crash(message.sequence(), message.attempt()));
  }

  Savepoint savepoint() {
    return new Savepoint(Map.copyOf(changed), effects.size(), outgoing.size(), deferred);
  }

  void rollBackTo(Savepoint before) {
    changed.clear();
    changed.putAll(before.changed);
    effects.subList(before.effects, effects.size()).clear();
    outgoing.subList(before.outgoing, outgoing.size()).clear();
    deferred = before.deferred;
  }

  void requireAll(List<Outcome> outcomes) {
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
  void publish() {
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
    tables.outbox.publish(outgoing, now);
  }

  void settle(List<Outcome> outcomes) {
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

  /** Leaves what was claimed orphaned. */
  void interrupt() {
    claimed.forEach(
        sequence -> tables.pending.computeIfPresent(sequence, (key, row) -> row.interrupt()));
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
    MemoryChanges holder = tables.claims.get(sequence);
    return holder != null && holder != this;
  }

  List<ClaimedMessage> claim(List<PendingRow> rows) {
    Instant now = tables.now();
    rows.forEach(row -> take(row.sequence()));
    return rows.stream().map(row -> row.claimed(now)).toList();
  }

  void take(long sequence) {
    PendingRow row = row(sequence);
    claimed.add(sequence);
    tables.claims.put(sequence, this);
    if (row != null && row.key() != null) {
      keys.add(row.key());
    }
  }

  /** Those of the leases that still hold. */
  Set<Lease> holding(Collection<Lease> leases) {
    Set<Lease> holding = new HashSet<>(leases);
    holding.removeIf(
        lease -> {
          PendingRow row = row(lease.sequence());
          return row == null || !row.hasLease(lease.token());
        });
    return holding;
  }
}
