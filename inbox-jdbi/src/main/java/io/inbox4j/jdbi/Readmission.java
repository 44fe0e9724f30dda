package io.inbox4j.jdbi;

import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.receive.Arrival;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.receive.internal.HeaderJson;
import io.inbox4j.store.InboxStore.ReplayPage;
import io.inbox4j.store.Receipt;
import io.inbox4j.transport.Delivery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is in quarantine, and lets those in that are events now.
 *
 * <p>First it is seen which there are and how large; then only as much is loaded as fits into
 * memory, however large each is.
 */
final class Readmission {

  private static final long MAX_LIST_BYTES = 64L << 20;
  private static final long MAX_PAGE_BYTES = 4L << 20;

  private final Jdbi jdbi;
  private final Announcements announcements;

  Readmission(Jdbi jdbi, Announcements announcements) {
    this.jdbi = jdbi;
    this.announcements = announcements;
  }

  /** A quarantined delivery, and where it is among the messages; null if that is not known. */
  private record Kept(QuarantinedMessage message, @Nullable Long place) {}

  /** One that is an event now. */
  private record Passed(Arrival.Event event, Kept kept) {}

  /** Why a delivery is in quarantine from now on. */
  private record Finding(long sequence, QuarantineReason reason, String detail) {}

  /** What became of a page: what left the quarantine, what is handled, what was found. */
  private record Sorted(List<Long> left, List<Arrival.Event> stored, List<Finding> findings) {

    static Sorted empty() {
      return new Sorted(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  List<QuarantineEntry> entries(MessageFilter filter, long after, int limit) {
    return jdbi.withHandle(
        handle ->
            Operations.select(handle, Sql.QUARANTINE_ENTRIES, filter, after, limit)
                .map(Readmission::entry)
                .list());
  }

  List<QuarantinedMessage> list(MessageFilter filter, long after, int limit) {
    List<Long> chosen = atMost(MAX_LIST_BYTES, entries(filter, after, limit));
    return chosen.isEmpty()
        ? List.of()
        : jdbi.withHandle(handle -> load(handle, Sql.QUARANTINED, chosen)).stream()
            .map(Kept::message)
            .toList();
  }

  /** Lets in what passes the check, and leaves the rest as it is. */
  ReplayPage replay(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, Arrival> check) {
    return readmit(entries(filter, after, limit), by, after, check, false);
  }

  /** Lets in what passes the check, of types that were not known; the rest is found to be else. */
  ReplayPage adopt(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, Arrival> check) {
    List<QuarantineEntry> entries =
        jdbi.inTransaction(
            handle -> {
              handle.execute(Sql.BY_INDEX);
              return handle
                  .createQuery(Sql.ADOPTABLE)
                  .bind("endpoint", endpoint)
                  .bind("types", PgArray.texts(List.copyOf(types), Function.identity()))
                  .bind("after", after)
                  .bind("limit", limit)
                  .map(Readmission::entry)
                  .list();
            });
    return readmit(entries, by, after, check, true);
  }

  private ReplayPage readmit(
      List<QuarantineEntry> entries,
      String by,
      long after,
      Function<QuarantinedMessage, Arrival> check,
      boolean noteFindings) {
    List<Long> chosen = atMost(MAX_PAGE_BYTES, entries);
    if (chosen.isEmpty()) {
      return new ReplayPage(0, after, List.of());
    }
    List<Arrival.Event> stored =
        jdbi.inTransaction(handle -> readmit(handle, chosen, by, check, noteFindings));
    return new ReplayPage(chosen.size(), chosen.get(chosen.size() - 1), stored);
  }

  private static List<Long> atMost(long bytes, List<QuarantineEntry> entries) {
    List<Long> chosen = new ArrayList<>();
    long total = 0;
    for (QuarantineEntry entry : entries) {
      total += entry.bodySize();
      if (total > bytes && !chosen.isEmpty()) {
        break;
      }
      chosen.add(entry.sequence());
    }
    return chosen;
  }

  private List<Arrival.Event> readmit(
      Handle handle,
      List<Long> sequences,
      String by,
      Function<QuarantinedMessage, Arrival> check,
      boolean noteFindings) {
    Sorted sorted = Sorted.empty();
    Map<String, List<Passed>> passed = new LinkedHashMap<>();
    for (Kept kept : load(handle, Sql.LOCK_QUARANTINED, sequences)) {
      Arrival arrival = check.apply(kept.message);
      if (arrival instanceof Arrival.Event event) {
        passed
            .computeIfAbsent(kept.message.endpoint(), it -> new ArrayList<>())
            .add(new Passed(event, kept));
      } else if (arrival instanceof Arrival.Rejected rejected) {
        sorted.findings.add(
            new Finding(kept.message.sequence(), rejected.reason(), rejected.detail()));
      }
    }
    passed.forEach((endpoint, page) -> store(handle, endpoint, page, sorted));
    if (!sorted.left.isEmpty()) {
      handle
          .createUpdate(Sql.LEAVE_QUARANTINE)
          .bind("seqs", PgArray.longs(sorted.left, Function.identity()))
          .bind("by", by)
          .execute();
    }
    if (noteFindings && !sorted.findings.isEmpty()) {
      handle
          .createUpdate(Sql.FOUND_IN_QUARANTINE)
          .bind("seqs", PgArray.longs(sorted.findings, Finding::sequence))
          .bind("reasons", PgArray.texts(sorted.findings, it -> it.reason.code()))
          .bind("details", PgArray.texts(sorted.findings, Finding::detail))
          .execute();
    }
    return sorted.stored;
  }

  /** Stores all at once, or if the database refuses that, one by one: what it refuses stays. */
  private void store(Handle handle, String endpoint, List<Passed> page, Sorted sorted) {
    if (tryToStore(handle, endpoint, page, sorted) == null) {
      return;
    }
    for (Passed one : page) {
      RuntimeException refusal = tryToStore(handle, endpoint, List.of(one), sorted);
      if (refusal != null) {
        sorted.findings.add(
            new Finding(
                one.kept.message.sequence(),
                QuarantineReason.UNSTORABLE,
                "the database refuses it: " + Faults.translated(refusal).getMessage()));
      }
    }
  }

  /** Why the database refuses the data; null if it is stored. */
  private @Nullable RuntimeException tryToStore(
      Handle handle, String endpoint, List<Passed> page, Sorted sorted) {
    List<Receipt> receipts;
    handle.savepoint("inbox_page");
    try {
      receipts =
          Receiving.storeEvents(
              handle,
              endpoint,
              page.stream().map(Passed::event).toList(),
              page.stream().map(Readmission::place).toList(),
              announcements.toEverybody(endpoint),
              sequence -> {});
    } catch (RuntimeException e) {
      if (!Faults.isRefusal(e)) {
        throw e;
      }
      handle.rollbackToSavepoint("inbox_page");
      return e;
    }
    handle.releaseSavepoint("inbox_page");
    for (int i = 0; i < page.size(); i++) {
      sort(page.get(i).event, receipts.get(i), page.get(i).kept.message.sequence(), sorted);
    }
    return null;
  }

  private static Place place(Passed passed) {
    return new Place(passed.kept.place, passed.kept.message.quarantinedAt());
  }

  private static void sort(Arrival.Event event, Receipt receipt, long sequence, Sorted sorted) {
    if (receipt == Receipt.CONFLICT) {
      Arrival.Rejected conflict = Receiving.conflict(event);
      sorted.findings.add(new Finding(sequence, conflict.reason(), conflict.detail()));
      return;
    }
    sorted.left.add(sequence);
    if (receipt == Receipt.STORED) {
      sorted.stored.add(event);
    }
  }

  private static List<Kept> load(Handle handle, String sql, List<Long> sequences) {
    return handle
        .createQuery(sql)
        .bind("seqs", PgArray.longs(sequences, Function.identity()))
        .map((row, context) -> new Kept(message(row), row.getObject("place", Long.class)))
        .collect(Collectors.toList());
  }

  private static QuarantinedMessage message(ResultSet row) throws SQLException {
    Delivery delivery =
        new Delivery(
            row.getString("message_id"),
            row.getString("type"),
            row.getString("content_type"),
            row.getString("content_encoding"),
            row.getString("correlation_id"),
            row.getString("source"),
            HeaderJson.read(row.getString("headers")),
            row.getBytes("body"),
            row.getBoolean("redelivered"));
    return new QuarantinedMessage(
        row.getLong("seq"),
        row.getString("endpoint"),
        QuarantineReason.ofCode(row.getString("reason")),
        row.getString("detail"),
        quarantinedAt(row),
        delivery);
  }

  private static QuarantineEntry entry(ResultSet row, Object context) throws SQLException {
    return new QuarantineEntry(
        row.getLong("seq"),
        row.getString("endpoint"),
        QuarantineReason.ofCode(row.getString("reason")),
        row.getString("detail"),
        quarantinedAt(row),
        row.getString("message_id"),
        row.getString("type"),
        row.getLong("body_size"));
  }

  private static Instant quarantinedAt(ResultSet row) throws SQLException {
    return row.getObject("quarantined_on_utc", OffsetDateTime.class).toInstant();
  }
}
