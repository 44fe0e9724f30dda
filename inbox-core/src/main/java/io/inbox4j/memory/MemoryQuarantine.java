package io.inbox4j.memory;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.OperatorStore.ReplayPage;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** The deliveries in quarantine. Must be called with the lock held. */
final class MemoryQuarantine {

  private static final long MAX_LIST_BYTES = 64L << 20;
  private static final long MAX_PAGE_BYTES = 4L << 20;

  private final MemoryTables tables;
  private final Instant now;

  /** The endpoints for which something was stored. */
  final Set<String> told = new HashSet<>();

  MemoryQuarantine(MemoryTables tables) {
    this.tables = tables;
    this.now = tables.now();
  }

  List<QuarantineEntry> entries(MessageFilter filter, long after, int limit) {
    return chosen(filter, after).limit(limit).map(QuarantineRow::entry).toList();
  }

  List<QuarantinedMessage> list(MessageFilter filter, long after, int limit) {
    return atMost(MAX_LIST_BYTES, chosen(filter, after).limit(limit).toList()).stream()
        .map(QuarantineRow::listed)
        .toList();
  }

  ReplayPage replay(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return readmit(chosen(filter, after).limit(limit).toList(), by, after, check, false);
  }

  ReplayPage adopt(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    List<QuarantineRow> adoptable =
        chosen(MessageFilter.all().endpoint(endpoint), after)
            .filter(row -> row.reason() == QuarantineReason.UNKNOWN_TYPE)
            .filter(row -> row.delivery().type() != null && types.contains(row.delivery().type()))
            .limit(limit)
            .toList();
    return readmit(adoptable, by, after, check, true);
  }

  private ReplayPage readmit(
      List<QuarantineRow> rows,
      String by,
      long after,
      Function<QuarantinedMessage, ValidatedDelivery> check,
      boolean noteFindings) {
    List<QuarantineRow> page = atMost(MAX_PAGE_BYTES, rows);
    if (page.isEmpty()) {
      return new ReplayPage(0, after, List.of());
    }
    Map<QuarantineRow, ValidatedDelivery> checked = new LinkedHashMap<>();
    page.forEach(row -> checked.put(row, check.apply(row.listed())));
    List<ValidatedDelivery.Event> stored = new ArrayList<>();
    checked.forEach(
        (row, delivery) -> {
          if (delivery instanceof ValidatedDelivery.Event event) {
            StoreResult result = store(row, event);
            if (result == StoreResult.STORED) {
              stored.add(event);
              told.add(row.endpoint());
            }
            if (result == StoreResult.CONFLICT) {
              note(row, MemoryReceiving.conflict(event), noteFindings);
            } else {
              leave(row, Intervention.Action.REPLAY, by);
            }
          } else if (delivery instanceof ValidatedDelivery.Rejected rejected) {
            note(row, rejected, noteFindings);
          }
        });
    return new ReplayPage(page.size(), page.get(page.size() - 1).sequence(), stored);
  }

  private StoreResult store(QuarantineRow row, ValidatedDelivery.Event event) {
    try (MemoryWorkTransaction transaction = new MemoryWorkTransaction(row.endpoint(), tables)) {
      StoreResult result =
          new MemoryReceiving(transaction.changes).store(event, row.place(), row.at(), now);
      transaction.commit(List.of());
      return result;
    }
  }

  private void note(QuarantineRow row, ValidatedDelivery.Rejected finding, boolean isToBeNoted) {
    if (isToBeNoted) {
      tables.quarantine.put(row.sequence(), row.found(finding.reason(), finding.detail()));
    }
  }

  List<Long> discard(MessageFilter filter, String by, long after, int limit) {
    List<QuarantineRow> gone = chosen(filter, after).limit(limit).toList();
    gone.forEach(row -> leave(row, Intervention.Action.DISCARD, by));
    return gone.stream().map(QuarantineRow::sequence).toList();
  }

  private void leave(QuarantineRow row, Intervention.Action action, String by) {
    tables.quarantine.remove(row.sequence());
    tables.interventions.add(
        new Intervention(
            action,
            Intervention.Origin.QUARANTINE,
            row.sequence(),
            row.endpoint(),
            row.delivery().messageId(),
            row.delivery().type(),
            row.reason().code() + ": " + row.detail(),
            by,
            now));
  }

  private Stream<QuarantineRow> chosen(MessageFilter filter, long after) {
    return tables.quarantine.tailMap(after, false).values().stream()
        .filter(
            row ->
                MemoryOperations.matches(
                    filter,
                    row.sequence(),
                    row.endpoint(),
                    row.delivery().type(),
                    row.text(),
                    row.at(),
                    now));
  }

  /** The first of these whose bodies are no larger than this together, and at least one. */
  private static List<QuarantineRow> atMost(long bytes, List<QuarantineRow> rows) {
    List<QuarantineRow> page = new ArrayList<>();
    long total = 0;
    for (QuarantineRow row : rows) {
      total += row.delivery().body().length;
      if (total > bytes && !page.isEmpty()) {
        break;
      }
      page.add(row);
    }
    return page;
  }
}
