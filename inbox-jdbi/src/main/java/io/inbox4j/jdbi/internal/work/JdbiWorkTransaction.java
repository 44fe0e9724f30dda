package io.inbox4j.jdbi.internal.work;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.guard.SessionCleaner;
import io.inbox4j.jdbi.internal.guard.TransactionGuard;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.outbox.JdbiOutbox;
import io.inbox4j.jdbi.internal.receive.MessageInserts;
import io.inbox4j.jdbi.internal.sql.ClaimSql;
import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.OutcomeSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
  private final Function<Set<String>, LaneCursor> cursors;
  private final WorkSql sql;
  private final ClaimStatements claims;
  private final List<LaneClaim> laneClaims = new ArrayList<>();

  /** The messages that are not in their lanes any more once this is committed. */
  private final Set<Long> gone = new HashSet<>();

  private final Function<Connection, Handle> handlerHandles;
  private final SessionCleaner sessions;
  private final NotifySender notifySender;
  private final JdbiOutbox outbox;
  private final List<Long> received = new ArrayList<>();
  private int toHandle;
  private boolean receivedKeys;
  private boolean published;
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
      Function<Set<String>, LaneCursor> cursors,
      WorkSql sql,
      Function<Connection, Handle> handlerHandles,
      SessionCleaner sessions,
      NotifySender notifySender,
      JdbiOutbox outbox) {
    this.endpoint = endpoint;
    this.handle = handle;
    this.connection = handle.getConnection();
    this.savepoint = new HandlerSavepoint(connection, () -> guard == null ? "" : guard.restoring());
    this.cursors = cursors;
    this.sql = sql;
    this.claims = new ClaimStatements(connection, sql, endpoint, savepoint);
    this.handlerHandles = handlerHandles;
    this.sessions = sessions;
    this.notifySender = notifySender;
    this.outbox = outbox;
    handle.begin();
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
    LaneClaim claim = new LaneClaim(claims, cursors.apply(types), onlyFirstOfKeys);
    laneClaims.add(claim);
    return run(() -> claim.claim(types, limit));
  }

  @Override
  public boolean mayHaveMore() {
    return laneClaims.stream().anyMatch(LaneClaim::mayBeMore);
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
    return run(() -> claims.claimReceived(types, received, receivedKeys));
  }

  @Override
  public List<Lease> lease(List<ClaimedMessage> messages, Duration time) {
    List<Lease> leases =
        run(() -> LeaseStatements.lease(handle, endpoint, messages, claims::laneOf, time));
    messages.forEach(message -> parked(message.sequence()));
    return leases;
  }

  @Override
  public Set<Lease> claimLeased(Collection<Lease> leases) {
    run(() -> handle.execute(sql.settings));
    return run(() -> LeaseStatements.claim(handle, leases, claims::found));
  }

  @Override
  public Set<Lease> held(Collection<Lease> leases) {
    return run(() -> LeaseStatements.held(handle, leases));
  }

  @Override
  public List<ClaimedMessage> claimDue(List<Long> sequences) {
    return claimInLanes(ClaimSql.CLAIM_DUE, sequences);
  }

  @Override
  public List<ClaimedMessage> claimAtRisk(List<Long> sequences) {
    return claimInLanes(ClaimSql.CLAIM_AT_RISK, sequences);
  }

  private List<ClaimedMessage> claimInLanes(String claim, List<Long> sequences) {
    return run(
        () -> {
          handle.execute(sql.settings);
          return claims.claimInLanes(claim, sequences);
        });
  }

  @Override
  public List<ClaimedMessage> reclaim(List<Long> sequences) {
    return run(() -> claims.reclaim(sequences));
  }

  @Override
  public void markCrashRisk(List<Long> sequences, Duration holdBack) {
    run(
        () ->
            handle
                .createUpdate(OutcomeSql.MARK_CRASH_RISK)
                .bind("endpoint", endpoint)
                .bind("lanes", PgArray.shorts(sequences, claims::laneOf))
                .bind("seqs", PgArray.longs(sequences, Function.identity()))
                .bind("holdBack", new Interval(holdBack))
                .execute());
    sequences.forEach(this::parked);
  }

  private void parked(long sequence) {
    claims.parked(sequence);
    gone.add(sequence);
  }

  @Override
  public void restoreUnclaimed(List<ClaimedMessage> atRisk) {
    if (!atRisk.isEmpty()) {
      run(
          () ->
              handle
                  .createUpdate(OutcomeSql.PUT_BACK)
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
        .createUpdate(OutcomeSql.CLEAR_CRASH_RISK)
        .bind("seqs", PgArray.longs(sequences, Function.identity()))
        .execute();
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

  @Override
  public void write(List<Write> writes) {
    handed = true;
    new WriteBatches(guard()).execute(writes);
  }

  private Connection guarded() {
    return guard().guarded();
  }

  private TransactionGuard guard() {
    if (guard == null) {
      guard = sessions.guard(connection);
    }
    return guard;
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
  public Duration databaseTime() {
    return guard == null ? Duration.ZERO : guard.databaseTime();
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
  public void publish(List<StoredOutgoing> messages) {
    if (!messages.isEmpty()) {
      translate(() -> outbox.publish(connection, savepoint.end(), messages));
      published = true;
    }
  }

  @Override
  public void commit(List<Outcome> outcomes) {
    List<Outcome.Processed> processed = OutcomeWriter.only(outcomes, Outcome.Processed.class);
    for (LaneClaim claim : laneClaims) {
      translate(claim::settle);
    }
    OutcomeWriter writer = new OutcomeWriter(handle, endpoint, claims::laneOf);
    if (processed.size() < outcomes.size()) {
      translate(savepoint::release);
      translate(() -> writer.settle(outcomes));
    }
    translate(() -> writer.commit(savepoint.end(), processed));
    committed = true;
    outcomes.forEach(outcome -> gone.add(outcome.sequence()));
    laneClaims.forEach(claim -> claim.committed(gone));
    if (toHandle > processed.size()) { // some may be left for the workers
      notifySender.committed(connection, endpoint);
    }
    if (published) {
      outbox.committed(connection);
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
