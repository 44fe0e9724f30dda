package io.inbox4j.memory;

import io.inbox4j.listener.Backlog;
import io.inbox4j.memory.InMemoryMessage.Status;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is waiting. Must be called with the lock held. */
final class MemoryStatus {

  private final MemoryTables tables;
  private final Instant now;

  MemoryStatus(MemoryTables tables) {
    this.tables = tables;
    this.now = tables.now();
  }

  StoreStatus of(Collection<String> endpoints) {
    Map<String, StoreStatus.Waiting> waiting = new HashMap<>();
    endpoints.forEach(endpoint -> waiting.put(endpoint, waiting(endpoint)));
    return new StoreStatus(false, transactions(), waiting);
  }

  private StoreStatus.Transactions transactions() {
    return tables.open.stream()
        .filter(it -> it.changes.hasClaimed())
        .min(Comparator.comparing(it -> it.began))
        .map(
            it ->
                new StoreStatus.Transactions(
                    Duration.between(it.began, now),
                    "a transaction of " + it.changes.endpoint,
                    null))
        .orElse(new StoreStatus.Transactions(null, null, null));
  }

  private StoreStatus.Waiting waiting(String endpoint) {
    Optional<PendingRow> oldest =
        Stream.concat(pending(endpoint).filter(row -> row.key() == null), heads(endpoint).stream())
            .filter(row -> row.isDue(now) && !isHeld(row))
            .min(Comparator.comparing(PendingRow::dueAt));
    return new StoreStatus.Waiting(
        oldest.map(row -> Duration.between(row.dueAt(), now)).orElse(null),
        oldest.map(row -> row.lease() != null).orElse(false),
        stuck(endpoint),
        blockingKey(endpoint),
        blocked(endpoint),
        tables.pauses.get(endpoint));
  }

  private StoreStatus.@Nullable Stuck stuck(String endpoint) {
    return pending(endpoint)
        .filter(row -> row.crashes() > 1 || (row.crashes() == 1 && row.isDue(now)))
        .max(Comparator.comparing(PendingRow::crashes).thenComparing(PendingRow::sequence))
        .map(
            row ->
                new StoreStatus.Stuck(
                    row.message().messageId(), row.message().type(), row.crashes() + 1))
        .orElse(null);
  }

  private @Nullable UUID blockingKey(String endpoint) {
    return tables.dead.values().stream()
        .filter(row -> row.message().endpoint().equals(endpoint) && row.blocksKey())
        .filter(row -> row.message().orderingKey() != null)
        .min(Comparator.comparing(row -> row.message().orderingKey()))
        .map(row -> row.message().messageId())
        .orElse(null);
  }

  private StoreStatus.@Nullable Blocked blocked(String endpoint) {
    Map<String, PendingRow> blocking = new HashMap<>();
    heads(endpoint).stream()
        .filter(row -> row.isLongOff(now))
        .forEach(row -> blocking.put(row.key(), row));
    List<PendingRow> waiting =
        pending(endpoint)
            .filter(row -> row.key() != null && row.isDue(now) && blocking.containsKey(row.key()))
            .toList();
    return waiting.stream()
        .map(row -> blocking.get(row.key()))
        .max(Comparator.comparing(PendingRow::dueAt))
        .map(row -> new StoreStatus.Blocked(waiting.size(), row.message().messageId(), row.dueAt()))
        .orElse(null);
  }

  Set<String> dueAt(Collection<String> endpoints) {
    return endpoints.stream()
        .filter(endpoint -> pending(endpoint).anyMatch(row -> row.isDue(now)))
        .collect(Collectors.toSet());
  }

  Backlog backlog(String endpoint) {
    Duration oldest =
        pending(endpoint)
            .filter(row -> row.isDue(now))
            .map(row -> Duration.between(row.dueAt(), now))
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
    return new Backlog(pending(endpoint).count(), oldest);
  }

  List<InMemoryMessage> messages() {
    List<InMemoryMessage> all = new ArrayList<>();
    tables
        .pending
        .values()
        .forEach(
            it ->
                all.add(
                    InMemoryMessage.of(it.message(), Status.PENDING, it.attempts(), it.error())));
    tables
        .dead
        .values()
        .forEach(
            it ->
                all.add(InMemoryMessage.of(it.message(), Status.DEAD, it.attempts(), it.error())));
    tables
        .finished
        .values()
        .forEach(
            it ->
                all.add(
                    InMemoryMessage.of(
                        it.message(),
                        it.isProcessed() ? Status.PROCESSED : Status.DISCARDED,
                        it.attempts(),
                        null)));
    all.sort(Comparator.comparing(InMemoryMessage::sequence));
    return all;
  }

  private Stream<PendingRow> pending(String endpoint) {
    return tables.pending.values().stream().filter(row -> row.endpoint().equals(endpoint));
  }

  /** The first message of every key. */
  private Collection<PendingRow> heads(String endpoint) {
    return pending(endpoint)
        .filter(row -> row.key() != null)
        .collect(Collectors.toMap(PendingRow::key, row -> row, (first, next) -> first))
        .values();
  }

  private boolean isHeld(PendingRow row) {
    return row.key() != null
        && tables.dead.values().stream()
            .anyMatch(
                dead ->
                    dead.blocksKey()
                        && dead.message().endpoint().equals(row.endpoint())
                        && row.key().equals(dead.message().orderingKey()));
  }
}
