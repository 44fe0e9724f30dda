package io.inbox4j.memory;

import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Action;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.store.OperatorStore.PendingPage;
import io.inbox4j.store.Outcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What operators do with pending and dead messages. Must be called with the lock held. */
final class MemoryOperations {

  private static final DateTimeFormatter DUE =
      DateTimeFormatter.ofPattern("'due at 'yyyy-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private final MemoryTables tables;
  private final Instant now;

  MemoryOperations(MemoryTables tables) {
    this.tables = tables;
    this.now = tables.now();
  }

  /** A filter with the place to continue after, as it applies to some kind of row. */
  static boolean matches(
      MessageFilter filter,
      long sequence,
      String endpoint,
      @Nullable String type,
      @Nullable String text,
      Instant since,
      Instant now) {
    return (filter.sequence() == null || filter.sequence() == sequence)
        && (filter.endpoint() == null || filter.endpoint().equals(endpoint))
        && (filter.types().isEmpty() || (type != null && filter.types().contains(type)))
        && (filter.text() == null || (text != null && text.contains(filter.text())))
        && (filter.olderThan() == null || !since.isAfter(now.minus(filter.olderThan())));
  }

  static DeadRow dead(MemoryTables tables, PendingRow row, Outcome.Dead outcome, Instant now) {
    int replays =
        (int)
            tables.interventions.stream()
                .filter(it -> it.origin() == Origin.DEAD && it.action() == Action.REPLAY)
                .filter(it -> it.sequence() == row.sequence())
                .count();
    return new DeadRow(
        row.message(), row.attemptsAfterThis(), replays, outcome.error(), outcome.blocksKey(), now);
  }

  List<DeadMessage> listDead(MessageFilter filter, int limit) {
    return chosenDead(filter, 0).limit(limit).map(DeadRow::listed).toList();
  }

  List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    return takeDead(
        chosenDead(filter, after).limit(limit).toList(),
        Action.REPLAY,
        by,
        row -> tables.pending.put(row.message().sequence(), PendingRow.fresh(row.message(), now)));
  }

  List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    return takeDead(
        chosenDead(filter, after).limit(limit).toList(),
        Action.DISCARD,
        by,
        row -> finish(row.message()));
  }

  private List<DeadMessage> takeDead(
      List<DeadRow> chosen, Action action, String by, Consumer<DeadRow> change) {
    for (DeadRow row : chosen) {
      tables.dead.remove(row.message().sequence());
      change.accept(row);
      record(action, Origin.DEAD, row.message(), row.error(), by);
    }
    return chosen.stream().map(DeadRow::listed).toList();
  }

  private Stream<DeadRow> chosenDead(MessageFilter filter, long after) {
    return tables.dead.tailMap(after, false).values().stream()
        .filter(
            row ->
                matches(
                    filter,
                    row.message().sequence(),
                    row.message().endpoint(),
                    row.message().type(),
                    row.error(),
                    row.at(),
                    now));
  }

  List<PendingMessage> listPending(MessageFilter filter, int limit) {
    return chosenPending(filter, 0).limit(limit).map(MemoryOperations::listed).toList();
  }

  PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    return changePending(
        filter,
        after,
        limit,
        row -> !row.isDue(now),
        row -> tables.pending.put(row.sequence(), row.due(now)),
        Action.EXPEDITE,
        by);
  }

  PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    return changePending(
        filter,
        after,
        limit,
        row -> true,
        row -> {
          tables.pending.remove(row.sequence());
          finish(row.message());
        },
        Action.DISCARD,
        by);
  }

  private PendingPage changePending(
      MessageFilter filter,
      long after,
      int limit,
      Predicate<PendingRow> condition,
      Consumer<PendingRow> change,
      Action action,
      String by) {
    List<PendingRow> chosen = chosenPending(filter, after).filter(condition).limit(limit).toList();
    List<PendingMessage> changed = new ArrayList<>();
    for (PendingRow row : chosen) {
      if (!isInFlight(row)) {
        change.accept(row);
        String due = DUE.format(row.dueAt());
        String reason = row.error() == null ? due : due + ": " + row.error();
        record(action, Origin.PENDING, row.message(), reason, by);
        changed.add(listed(row));
      }
    }
    long last = chosen.isEmpty() ? after : chosen.get(chosen.size() - 1).sequence();
    return new PendingPage(chosen.size(), last, changed);
  }

  private boolean isInFlight(PendingRow row) {
    return tables.isClaimed(row.sequence())
        || (!row.isDue(now) && (row.lease() != null || row.crashes() > 0));
  }

  private Stream<PendingRow> chosenPending(MessageFilter filter, long after) {
    return tables.pending.tailMap(after, false).values().stream()
        .filter(
            row ->
                matches(
                    filter,
                    row.sequence(),
                    row.endpoint(),
                    row.message().type(),
                    row.error(),
                    row.message().receivedAt(),
                    now));
  }

  private static PendingMessage listed(PendingRow row) {
    return new PendingMessage(
        row.sequence(),
        row.endpoint(),
        row.message().messageId(),
        row.message().type(),
        row.attempts(),
        row.error(),
        row.key(),
        row.message().receivedAt(),
        row.dueAt());
  }

  private void finish(StoredMessage message) {
    tables.finished.put(message.sequence(), new FinishedRow(message, now, 0));
  }

  private void record(
      Action action, Origin origin, StoredMessage message, String reason, String by) {
    tables.interventions.add(
        new Intervention(
            action,
            origin,
            message.sequence(),
            message.endpoint(),
            message.messageId().toString(),
            message.type(),
            reason,
            by,
            now));
  }

  List<Intervention> interventions(Origin origin, MessageFilter filter, int limit) {
    List<Intervention> chosen =
        new ArrayList<>(
            tables.interventions.stream()
                .filter(it -> it.origin() == origin)
                .filter(
                    it ->
                        matches(
                            filter,
                            it.sequence(),
                            it.endpoint(),
                            it.type(),
                            it.reason(),
                            it.at(),
                            now))
                .toList());
    Collections.reverse(chosen);
    return chosen.stream().limit(limit).toList();
  }
}
