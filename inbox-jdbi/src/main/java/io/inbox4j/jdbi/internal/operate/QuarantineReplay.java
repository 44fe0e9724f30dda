package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.receive.ArrivalPosition;
import io.inbox4j.jdbi.internal.receive.MessageInserts;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.OperatorStore.ReplayPage;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.ResultSet;
import java.sql.SQLException;
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
 * Reads quarantined deliveries and stores those that are valid events by now.
 *
 * <p>It first reads which there are and how large they are, then loads only as many as fit into
 * memory, however large each one is.
 */
public final class QuarantineReplay {

  private static final long MAX_LIST_BYTES = 64L << 20;
  private static final long MAX_PAGE_BYTES = 4L << 20;

  private final Jdbi jdbi;
  private final NotifySender notifySender;

  public QuarantineReplay(Jdbi jdbi, NotifySender notifySender) {
    this.jdbi = jdbi;
    this.notifySender = notifySender;
  }

  /** A quarantined delivery and its place in the arrival order. */
  private record Kept(QuarantinedMessage message, long place) {}

  /** A delivery that is a valid event by now. */
  private record Passed(ValidatedDelivery.Event event, Kept kept) {}

  /** The new reason for which a delivery stays in quarantine. */
  private record Finding(long sequence, QuarantineReason reason, String detail) {}

  /** The result for a page: which left the quarantine, which were stored, and new findings. */
  private record Sorted(
      List<Long> left, List<ValidatedDelivery.Event> stored, List<Finding> findings) {

    static Sorted empty() {
      return new Sorted(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  public List<QuarantineEntry> entries(MessageFilter filter, long after, int limit) {
    return jdbi.withHandle(
        handle ->
            OperatorStatements.select(handle, OperatorSql.QUARANTINE_ENTRIES, filter, after, limit)
                .map(QuarantineReplay::entry)
                .list());
  }

  public List<QuarantinedMessage> list(MessageFilter filter, long after, int limit) {
    List<Long> chosen = atMost(MAX_LIST_BYTES, entries(filter, after, limit));
    return chosen.isEmpty()
        ? List.of()
        : jdbi.withHandle(handle -> load(handle, OperatorSql.QUARANTINED, chosen)).stream()
            .map(Kept::message)
            .toList();
  }

  /** Stores what passes the check and leaves the rest unchanged. */
  public ReplayPage replay(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return readmit(entries(filter, after, limit), by, after, check, false);
  }

  /** Stores what passes the check, of types that used to be unknown; the rest gets a new reason. */
  public ReplayPage adopt(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    List<QuarantineEntry> entries =
        jdbi.inTransaction(
            handle -> {
              handle.execute(SessionSql.BY_INDEX);
              return handle
                  .createQuery(OperatorSql.ADOPTABLE)
                  .bind("endpoint", endpoint)
                  .bind("types", PgArray.texts(List.copyOf(types), Function.identity()))
                  .bind("after", after)
                  .bind("limit", limit)
                  .map(QuarantineReplay::entry)
                  .list();
            });
    return readmit(entries, by, after, check, true);
  }

  private ReplayPage readmit(
      List<QuarantineEntry> entries,
      String by,
      long after,
      Function<QuarantinedMessage, ValidatedDelivery> check,
      boolean noteFindings) {
    List<Long> chosen = atMost(MAX_PAGE_BYTES, entries);
    if (chosen.isEmpty()) {
      return new ReplayPage(0, after, List.of());
    }
    List<ValidatedDelivery.Event> stored =
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

  private List<ValidatedDelivery.Event> readmit(
      Handle handle,
      List<Long> sequences,
      String by,
      Function<QuarantinedMessage, ValidatedDelivery> check,
      boolean noteFindings) {
    Sorted sorted = Sorted.empty();
    Map<String, List<Passed>> passed = new LinkedHashMap<>();
    for (Kept kept : load(handle, OperatorSql.LOCK_QUARANTINED, sequences)) {
      ValidatedDelivery arrival = check.apply(kept.message);
      if (arrival instanceof ValidatedDelivery.Event event) {
        passed
            .computeIfAbsent(kept.message.endpoint(), it -> new ArrayList<>())
            .add(new Passed(event, kept));
      } else if (arrival instanceof ValidatedDelivery.Rejected rejected) {
        sorted.findings.add(
            new Finding(kept.message.sequence(), rejected.reason(), rejected.detail()));
      }
    }
    passed.forEach((endpoint, page) -> store(handle, endpoint, page, sorted));
    if (!sorted.left.isEmpty()) {
      handle
          .createUpdate(OperatorSql.LEAVE_QUARANTINE)
          .bind("seqs", PgArray.longs(sorted.left, Function.identity()))
          .bind("by", by)
          .execute();
    }
    if (noteFindings && !sorted.findings.isEmpty()) {
      handle
          .createUpdate(OperatorSql.FOUND_IN_QUARANTINE)
          .bind("seqs", PgArray.longs(sorted.findings, Finding::sequence))
          .bind("reasons", PgArray.texts(sorted.findings, it -> it.reason.code()))
          .bind("details", PgArray.texts(sorted.findings, Finding::detail))
          .execute();
    }
    return sorted.stored;
  }

  /** Stores all at once or, if the database rejects that, one by one: what it rejects stays. */
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
                "the database refuses it: " + SqlErrors.translated(refusal).getMessage()));
      }
    }
  }

  /** Why the database rejects the data; null if it was stored. */
  private @Nullable RuntimeException tryToStore(
      Handle handle, String endpoint, List<Passed> page, Sorted sorted) {
    List<StoreResult> receipts;
    handle.savepoint("inbox_page");
    try {
      receipts =
          MessageInserts.storeEvents(
              handle,
              endpoint,
              page.stream().map(Passed::event).toList(),
              page.stream().map(QuarantineReplay::place).toList(),
              notifySender.toEverybody(endpoint),
              sequence -> {});
    } catch (RuntimeException e) {
      if (!SqlErrors.isRefusal(e)) {
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

  private static ArrivalPosition place(Passed passed) {
    return new ArrivalPosition(passed.kept.place, passed.kept.message.quarantinedAt());
  }

  private static void sort(
      ValidatedDelivery.Event event, StoreResult receipt, long sequence, Sorted sorted) {
    if (receipt == StoreResult.CONFLICT) {
      ValidatedDelivery.Rejected conflict = MessageInserts.conflict(event);
      sorted.findings.add(new Finding(sequence, conflict.reason(), conflict.detail()));
      return;
    }
    sorted.left.add(sequence);
    if (receipt == StoreResult.STORED) {
      sorted.stored.add(event);
    }
  }

  private static List<Kept> load(Handle handle, String sql, List<Long> sequences) {
    return handle
        .createQuery(sql)
        .bind("seqs", PgArray.longs(sequences, Function.identity()))
        .map((row, context) -> new Kept(message(row), row.getLong("place")))
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
        Row.instant(row, "quarantined_on_utc"),
        delivery);
  }

  private static QuarantineEntry entry(ResultSet row, Object context) throws SQLException {
    return new QuarantineEntry(
        row.getLong("seq"),
        row.getString("endpoint"),
        QuarantineReason.ofCode(row.getString("reason")),
        row.getString("detail"),
        Row.instant(row, "quarantined_on_utc"),
        row.getString("message_id"),
        row.getString("type"),
        row.getLong("body_size"));
  }
}
