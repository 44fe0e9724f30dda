package io.inbox4j.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what a transaction can claim now. */
final class MemoryClaim {

  /** Fresh and orphaned messages run in different transactions: a claim takes one kind per key. */
  private enum Kind {
    FRESH,
    ORPHAN,
    ISOLATED;

    static Kind of(PendingRow row) {
      return !row.isOrphaned() ? FRESH : row.crashes() == 0 ? ORPHAN : ISOLATED;
    }
  }

  private final MemoryChanges changes;
  private final MemoryTables tables;
  private final String endpoint;
  private final Instant now;

  MemoryClaim(MemoryChanges changes) {
    this.changes = changes;
    this.tables = changes.tables;
    this.endpoint = changes.endpoint;
    this.now = tables.now();
  }

  /**
   * What is due, in arrival order; of every key that nobody else handles the first messages, up to
   * one that has to wait.
   */
  List<PendingRow> due(Set<String> types, int limit, boolean onlyFirstOfKeys) {
    if (isPaused()) {
      return List.of();
    }
    List<PendingRow> taken = new ArrayList<>();
    Map<String, Kind> kinds = new HashMap<>();
    Set<String> heldUp = keysInOtherHands();
    if (onlyFirstOfKeys) {
      heldUp.addAll(changes.keys);
    }
    for (PendingRow row : changes.rows().values()) {
      String key = row.key();
      if (taken.size() == limit) {
        break;
      }
      if (!row.endpoint().equals(endpoint) || heldUp.contains(key)) {
        continue;
      }
      boolean ready = row.isDue(now) && types.contains(row.message().type());
      if (key == null) {
        if (ready && !tables.isClaimed(row.sequence())) {
          taken.add(row);
        }
        continue;
      }
      Kind kind = Kind.of(row);
      boolean sameKind = kinds.merge(key, kind, (first, next) -> first) == kind;
      if (!sameKind || !ready) {
        heldUp.add(key);
      } else if (!changes.hasClaimed(row.sequence())) {
        taken.add(row);
      }
      if (kind == Kind.ISOLATED || onlyFirstOfKeys) {
        heldUp.add(key);
      }
    }
    return taken;
  }

  /** What this transaction has stored, if nothing is before it. */
  List<PendingRow> received(Set<String> types) {
    List<PendingRow> mine =
        changes.rows().values().stream()
            .filter(row -> changes.received.containsKey(row.message().identity()))
            .toList();
    if (mine.isEmpty() || isPaused()) {
      return List.of();
    }
    long first = mine.get(0).sequence();
    Set<String> heldUp = keysInOtherHands();
    tables.pending.headMap(first).values().stream()
        .filter(row -> row.key() != null && row.endpoint().equals(endpoint))
        .forEach(row -> heldUp.add(row.key()));
    List<PendingRow> taken = new ArrayList<>();
    for (PendingRow row : mine) {
      boolean ready =
          row.isDue(now)
              && types.contains(row.message().type())
              && !row.message().delivery().redelivered();
      if (ready && (row.key() == null || !heldUp.contains(row.key()))) {
        taken.add(row);
      } else if (row.key() != null) {
        heldUp.add(row.key());
      }
    }
    return taken;
  }

  List<PendingRow> theseIfDue(List<Long> sequences) {
    return withFreeKeys(sequences).filter(row -> row.isDue(now)).toList();
  }

  List<PendingRow> theseAtRisk(List<Long> sequences) {
    return withFreeKeys(sequences).filter(row -> row.lease() == null).toList();
  }

  /** These, whoever handles others of their keys. */
  List<PendingRow> these(List<Long> sequences) {
    return free(sequences).filter(row -> row.lease() == null).toList();
  }

  private Stream<PendingRow> withFreeKeys(List<Long> sequences) {
    return free(sequences).filter(row -> row.key() == null || isFree(row.endpoint(), row.key()));
  }

  private Stream<PendingRow> free(List<Long> sequences) {
    return sequences.stream()
        .sorted()
        .filter(sequence -> !changes.isClaimedByAnother(sequence))
        .map(changes::row)
        .filter(row -> row != null);
  }

  private boolean isFree(String at, String key) {
    return tables.open.stream().noneMatch(it -> it.changes != changes && holds(it.changes, at, key))
        && changes.rows().values().stream().noneMatch(it -> isOf(it, at, key) && it.isLeased(now));
  }

  private static boolean holds(MemoryChanges other, String at, String key) {
    return other.endpoint.equals(at) && other.keys.contains(key);
  }

  private static boolean isOf(PendingRow row, String at, @Nullable String key) {
    return row.endpoint().equals(at) && key != null && key.equals(row.key());
  }

  /** Keys that another transaction or a lease holds, or a dead message. */
  private Set<String> keysInOtherHands() {
    Set<String> keys = new HashSet<>();
    tables.open.stream()
        .map(it -> it.changes)
        .filter(it -> it != changes && it.endpoint.equals(endpoint))
        .map(it -> it.keys)
        .forEach(keys::addAll);
    changes.rows().values().stream()
        .filter(row -> row.key() != null && row.endpoint().equals(endpoint) && row.isLeased(now))
        .forEach(row -> keys.add(row.key()));
    tables.dead.values().stream()
        .filter(row -> row.blocksKey() && row.message().endpoint().equals(endpoint))
        .map(row -> row.message().orderingKey())
        .filter(key -> key != null)
        .forEach(keys::add);
    return keys;
  }

  private boolean isPaused() {
    return tables.pauses.containsKey(endpoint);
  }
}
