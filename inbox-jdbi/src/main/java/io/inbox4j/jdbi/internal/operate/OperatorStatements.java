package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.store.OperatorStore.PendingPage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/** The operations on pending, dead and quarantined messages. */
public final class OperatorStatements {

  private final Jdbi jdbi;

  public OperatorStatements(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  public List<DeadMessage> listDead(MessageFilter filter, int limit) {
    return jdbi.withHandle(
        handle ->
            select(handle, OperatorSql.LIST_DEAD, filter, 0, limit)
                .map(OperatorStatements::dead)
                .list());
  }

  public List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    return moveDead(OperatorSql.REPLAY_DEAD, filter, by, after, limit);
  }

  public List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    return moveDead(OperatorSql.DISCARD_DEAD, filter, by, after, limit);
  }

  private List<DeadMessage> moveDead(
      String sql, MessageFilter filter, String by, long after, int limit) {
    return jdbi.inTransaction(
        handle ->
            select(handle, sql, filter, after, limit)
                .bind("by", by)
                .map(OperatorStatements::dead)
                .list());
  }

  public List<PendingMessage> listPending(MessageFilter filter, int limit) {
    return jdbi.withHandle(
        handle ->
            select(handle, OperatorSql.LIST_PENDING, filter, 0, limit)
                .map(OperatorStatements::pending)
                .list());
  }

  public PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    return changePending(OperatorSql.EXPEDITE_PENDING, filter, by, after, limit);
  }

  public PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    return changePending(OperatorSql.DISCARD_PENDING, filter, by, after, limit);
  }

  private PendingPage changePending(
      String sql, MessageFilter filter, String by, long after, int limit) {
    List<PendingMessage> changed = new ArrayList<>();
    List<Long> seen =
        jdbi.inTransaction(
            handle ->
                select(handle, sql, filter, after, limit)
                    .bind("by", by)
                    .map(
                        (row, context) -> {
                          if (row.getBoolean("changed")) {
                            changed.add(pending(row, context));
                          }
                          return row.getLong("seq");
                        })
                    .list());
    return new PendingPage(
        seen.size(), seen.isEmpty() ? after : seen.get(seen.size() - 1), changed);
  }

  public int pause(String endpoint, String by, String reason) {
    return jdbi.withHandle(
        handle ->
            handle
                .createUpdate(OperatorSql.PAUSE)
                .bind("endpoint", endpoint)
                .bind("by", by)
                .bind("reason", reason)
                .execute());
  }

  /** Ends a pause and notifies the processes waiting for it; returns whether there was one. */
  public boolean resume(String endpoint) {
    return jdbi.withHandle(
        handle ->
            !handle
                .createQuery(OperatorSql.RESUME)
                .bind("endpoint", endpoint)
                .mapTo(String.class)
                .list()
                .isEmpty());
  }

  public Optional<Pause> pauseOf(String endpoint) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(OperatorSql.PAUSE_OF)
                .bind("endpoint", endpoint)
                .map(
                    (row, context) ->
                        new Pause(
                            row.getString("paused_by"),
                            row.getString("reason"),
                            Row.instant(row, "paused_on_utc")))
                .findOne());
  }

  public List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit) {
    return jdbi.inTransaction(
        handle ->
            select(handle, OperatorSql.DISCARD_QUARANTINED, filter, after, limit)
                .bind("by", by)
                .mapTo(Long.class)
                .list());
  }

  public List<Intervention> interventions(
      Intervention.Origin origin, MessageFilter filter, int limit) {
    return jdbi.withHandle(
        handle ->
            select(handle, OperatorSql.INTERVENTIONS, filter, 0, limit)
                .bind("origin", origin.code())
                .map((row, context) -> intervention(row, origin))
                .list());
  }

  static Query select(Handle handle, String sql, MessageFilter filter, long after, int limit) {
    return handle
        .createQuery(sql)
        .bind("endpoint", filter.endpoint())
        .bind("types", PgArray.texts(List.copyOf(filter.types()), Function.identity()))
        .bind("text", filter.text())
        .bind("olderThan", new Interval(filter.olderThan()))
        .bind("sequence", filter.sequence())
        .bind("after", after)
        .bind("limit", limit);
  }

  private static DeadMessage dead(ResultSet row, Object context) throws SQLException {
    return new DeadMessage(
        row.getLong("seq"),
        row.getString("endpoint"),
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        row.getInt("attempts"),
        row.getInt("replays"),
        row.getString("error"),
        Row.instant(row, "dead_on_utc"));
  }

  static PendingMessage pending(ResultSet row, Object context) throws SQLException {
    return new PendingMessage(
        row.getLong("seq"),
        row.getString("endpoint"),
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        row.getInt("attempts"),
        row.getString("error"),
        row.getString("ordering_key"),
        Row.instant(row, "received_on_utc"),
        Row.instant(row, "due_on_utc"));
  }

  private static Intervention intervention(ResultSet row, Intervention.Origin origin)
      throws SQLException {
    return new Intervention(
        Intervention.Action.ofCode(row.getString("action")),
        origin,
        row.getLong("seq"),
        row.getString("endpoint"),
        row.getString("message_id"),
        row.getString("type"),
        row.getString("reason"),
        row.getString("done_by"),
        Row.instant(row, "done_on_utc"));
  }
}
