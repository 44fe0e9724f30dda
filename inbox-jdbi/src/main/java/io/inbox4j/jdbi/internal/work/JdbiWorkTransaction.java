package io.inbox4j.jdbi.internal.work;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.guard.SessionCleaner;
import io.inbox4j.jdbi.internal.guard.TransactionGuard;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.receive.MessageInserts;
import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker's transaction. The locks on the claimed rows serve as its lease. */
public final class JdbiWorkTransaction implements WorkTransaction {

  private static final Logger log = LoggerFactory.getLogger(JdbiWorkTransaction.class);

  private final String endpoint;
  private final Handle handle;
  private final Connection connection;
  private final HandlerSavepoint savepoint;
  private final Function<Set<String>, ClaimCursor> cursors;
  private final WorkSql sql;
  private final Function<Connection, Handle> handlerHandles;
  private final SessionCleaner sessions;
  private final NotifySender notifySender;
  private final List<Long> received = new ArrayList<>();
  private int toHandle;
  private boolean receivedKeys;
  private @Nullable TransactionGuard guard;
  private @Nullable Handle handlerHandle;
  private boolean committed;

  /** Whether handlers have had access to the transaction. */
  private boolean handed;

  private boolean lost;
  private boolean discard;

  public JdbiWorkTransaction(
      String endpoint,
      Handle handle,
      Function<Set<String>, ClaimCursor> cursors,
      WorkSql sql,
      Function<Connection, Handle> handlerHandles,
      SessionCleaner sessions,
      NotifySender notifySender) {
    this.endpoint = endpoint;
    this.handle = handle;
    this.connection = handle.getConnection();
    this.savepoint = new HandlerSavepoint(connection, () -> guard == null ? "" : guard.restoring());
    this.cursors = cursors;
    this.sql = sql;
    this.handlerHandles = handlerHandles;
    this.sessions = sessions;
    this.notifySender = notifySender;
    handle.begin();
  }

  @Override
  public List<ClaimedMessage> claim(Set<String> types, int limit) {
    ClaimCursor cursor = cursors.apply(types);
    Instant from = cursor.from();
    long begin = System.nanoTime();
    try {
      List<ClaimedMessage> messages = run(() -> claim(types, from, limit));
      if (!messages.isEmpty()) {
        cursor.claimed(messages.get(messages.size() - 1).dueAt(), messages.size() == limit);
      }
      return messages;
    } finally {
      cursor.looked(from, Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  private List<ClaimedMessage> claim(Set<String> types, Instant from, int limit)
      throws SQLException {
    try (PreparedStatement statement = sql.claim(connection, limit)) {
      statement.setFetchSize(0); // all rows now: locks taken after the savepoint are lost with it
      statement.setString(1, endpoint);
      statement.setArray(2, connection.createArrayOf("text", types.toArray()));
      statement.setObject(3, from.atOffset(ZoneOffset.UTC));
      statement.setString(4, endpoint);
      List<ClaimedMessage> messages = read(statement);
      savepoint.wasSet();
      return messages;
    }
  }

  @Override
  public List<ClaimedMessage> claimOrdered(Set<String> types, int limit) {
    return claimLane(types, limit, false);
  }

  @Override
  public List<ClaimedMessage> claimFirstOfKeys(Set<String> types, int limit) {
    return claimLane(types, limit, true);
  }

  private List<ClaimedMessage> claimLane(Set<String> types, int limit, boolean onlyFirstOfKeys) {
    return run(
        () ->
            new LaneClaim(connection, sql, endpoint, cursors.apply(types), onlyFirstOfKeys)
                .claim(types, limit));
  }

  @Override
  public List<StoreResult> receive(List<ValidatedDelivery> batch) {
    receivedKeys |=
        batch.stream()
            .anyMatch(it -> it instanceof ValidatedDelivery.Event e && e.orderingKey() != null);
    run(() -> handle.execute(sql.settings));
    List<StoreResult> receipts =
        run(
            () ->
                MessageInserts.store(
                    handle,
                    endpoint,
                    batch,
                    notifySender.inTransaction(connection, endpoint),
                    received::add));
    toHandle += (int) receipts.stream().filter(MessageInserts::isToHandle).count();
    return receipts;
  }

  @Override
  public List<ClaimedMessage> claimReceived(Set<String> types) {
    return run(
        () -> new InlineClaim(connection, sql, endpoint, received).claim(types, receivedKeys));
  }

  @Override
  public List<Lease> lease(List<ClaimedMessage> messages, Duration time) {
    return run(() -> LeaseStatements.lease(handle, messages, time));
  }

  @Override
  public Set<Lease> claimLeased(Collection<Lease> leases) {
    run(() -> handle.execute(sql.settings));
    return run(() -> LeaseStatements.claim(handle, leases));
  }

  @Override
  public Set<Lease> held(Collection<Lease> leases) {
    return run(() -> LeaseStatements.held(handle, leases));
  }

  @Override
  public List<ClaimedMessage> claimDue(List<Long> sequences) {
    return claimInLanes(Sql.CLAIM_DUE, sequences);
  }

  @Override
  public List<ClaimedMessage> claimAtRisk(List<Long> sequences) {
    return claimInLanes(Sql.CLAIM_AT_RISK, sequences);
  }

  private List<ClaimedMessage> claimInLanes(String claim, List<Long> sequences) {
    return run(
        () -> {
          handle.execute(sql.settings);
          List<Integer> lanes = LaneClaim.lockLanesOf(connection, sql, endpoint, sequences);
          try (PreparedStatement statement = sql.prepare(connection, claim)) {
            statement.setArray(1, connection.createArrayOf("int8", sequences.toArray()));
            statement.setArray(2, connection.createArrayOf("int2", lanes.toArray()));
            return read(statement);
          }
        });
  }

  @Override
  public List<ClaimedMessage> reclaim(List<Long> sequences) {
    return run(
        () -> {
          try (PreparedStatement statement = sql.reclaim(connection)) {
            statement.setArray(1, connection.createArrayOf("int8", sequences.toArray()));
            return read(statement);
          }
        });
  }

  @Override
  public void markCrashRisk(List<Long> sequences, Duration holdBack) {
    run(
        () ->
            handle
                .createUpdate(Sql.MARK_CRASH_RISK)
                .bind("seqs", PgArray.longs(sequences, Function.identity()))
                .bind("holdBack", new Interval(holdBack))
                .execute());
  }

  @Override
  public void restoreUnclaimed(List<ClaimedMessage> atRisk) {
    if (!atRisk.isEmpty()) {
      run(
          () ->
              handle
                  .createUpdate(Sql.PUT_BACK)
                  .bind("seqs", PgArray.longs(atRisk, ClaimedMessage::sequence))
                  .bind("crashes", PgArray.longs(atRisk, it -> (long) it.crashes()))
                  .execute());
    }
  }

  @Override
  public void clearCrashRisk(List<Long> sequences) {
    if (!sequences.isEmpty()) {
      run(() -> clearCrashRisk(handle, sequences));
    }
  }

  public static int clearCrashRisk(Handle handle, List<Long> sequences) {
    return handle
        .createUpdate(Sql.CLEAR_CRASH_RISK)
        .bind("seqs", PgArray.longs(sequences, Function.identity()))
        .execute();
  }

  static List<ClaimedMessage> read(PreparedStatement statement) throws SQLException {
    List<ClaimedMessage> messages = new ArrayList<>();
    try (ResultSet row = rows(statement)) {
      while (row.next()) {
        messages.add(message(row));
      }
    }
    return messages;
  }

  /** The rows of the query among the settings before and after it. */
  static ResultSet rows(PreparedStatement statement) throws SQLException {
    boolean isRows = statement.execute();
    while (!isRows) {
      isRows = statement.getMoreResults();
    }
    return statement.getResultSet();
  }

  private static ClaimedMessage message(ResultSet row) throws SQLException {
    Instant receivedAt = Row.instant(row, "received_on_utc");
    return new ClaimedMessage(
        row.getLong("seq"),
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        row.getString("content_type"),
        row.getBytes("body"),
        row.getString("headers"),
        row.getString("correlation_id"),
        row.getString("source"),
        row.getBoolean("redelivered"),
        receivedAt,
        Row.instant(row, "due_on_utc"),
        Duration.between(receivedAt, Row.instant(row, "claimed_on_utc")),
        System.nanoTime(),
        row.getString("ordering_key"),
        row.getInt("attempts"),
        row.getInt("crashes"),
        row.getBoolean("orphaned"));
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    handed = true;
    if (type == Handle.class) {
      return type.cast(handlerHandle());
    }
    if (type == Connection.class) {
      return type.cast(guarded());
    }
    throw new IllegalArgumentException(
        "%s is not what the JDBI store has; expected %s or %s"
            .formatted(type.getName(), Handle.class.getName(), Connection.class.getName()));
  }

  private Connection guarded() {
    if (guard == null) {
      guard = sessions.guard(connection);
    }
    return guard.guarded();
  }

  private Handle handlerHandle() {
    if (handlerHandle == null || handlerHandle.isClosed()) {
      handlerHandle = handlerHandles.apply(guarded());
    }
    return handlerHandle;
  }

  @Override
  public void savepoint() {
    handed = true;
    translate(savepoint::set);
  }

  @Override
  public boolean isEnded() {
    return translated(savepoint::isGone);
  }

  @Override
  public boolean isLost() {
    return lost;
  }

  @Override
  public void check() {
    translate(savepoint::check);
  }

  @Override
  public void releaseSavepoint() {
    translate(savepoint::keep);
  }

  @Override
  public void rollbackToSavepoint() {
    translate(savepoint::rollback);
  }

  @Override
  public void commit(List<Outcome> outcomes) {
    List<Outcome.Processed> processed = OutcomeWriter.only(outcomes, Outcome.Processed.class);
    OutcomeWriter writer = new OutcomeWriter(handle, endpoint);
    if (processed.size() < outcomes.size()) {
      translate(savepoint::release);
      translate(() -> writer.settle(outcomes));
    }
    translate(() -> writer.commit(savepoint.end(), processed));
    committed = true;
    if (toHandle > processed.size()) { // some may be left for the workers
      notifySender.committed(connection, endpoint);
    }
  }

  @Override
  public void close() {
    try {
      if (!committed && !discard) {
        handle.rollback();
      }
      discard |= guard != null && !sessions.clear(handle, guard.trace(), endpoint);
    } catch (RuntimeException e) {
      discard = true; // the state of its session is unknown
      log.debug(
          "A connection of {} could not be cleared after its transaction and is closed: {}",
          endpoint,
          SqlErrors.translated(e).getMessage());
    } finally {
      closeHandle();
    }
  }

  private void closeHandle() {
    if (discard) {
      sessions.discard(connection);
    }
    try {
      handle.close();
    } catch (RuntimeException e) {
      log.debug(
          "A connection of {} could not be given back: {}",
          endpoint,
          SqlErrors.translated(e).getMessage());
    }
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private interface Step {
    void run() throws SQLException;
  }

  /** Runs a statement of the store outside the handlers' savepoint. */
  private <T> T run(Work<T> work) {
    return translated(
        () -> {
          savepoint.release();
          return work.run();
        });
  }

  private void translate(Step step) {
    translated(
        () -> {
          step.run();
          return true;
        });
  }

  private <T> T translated(Work<T> work) {
    try {
      return work.run();
    } catch (InboxException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      lost |= SqlErrors.isLoss(e);
      discard |= SqlErrors.isReadOnly(e);
      throw handed ? SqlErrors.translatedAfterHandlers(e) : SqlErrors.translated(e);
    }
  }
}
