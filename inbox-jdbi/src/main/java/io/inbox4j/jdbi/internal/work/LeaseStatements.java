package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.HistorySql;
import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.LeaseSql;
import io.inbox4j.jdbi.internal.sql.OutcomeSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlStatement;

/** The statements about leases. */
public final class LeaseStatements {

  private LeaseStatements() {}

  /** Leases claimed messages, in this order. */
  static List<Lease> lease(
      Handle handle,
      String endpoint,
      List<ClaimedMessage> messages,
      Function<ClaimedMessage, Integer> laneOf,
      Duration time) {
    recordCrashes(handle, messages.stream().filter(LeaseStatements::hasCrashedAlone).toList());
    Map<Long, Lease> leases = new HashMap<>();
    handle
        .createQuery(LeaseSql.LEASE)
        .bind("endpoint", endpoint)
        .bind("lanes", PgArray.shorts(messages, laneOf))
        .bind("seqs", PgArray.longs(messages, ClaimedMessage::sequence))
        .bind("orphans", PgArray.booleans(messages, ClaimedMessage::orphaned))
        .bind("time", new Interval(time))
        .map(LeaseStatements::row)
        .forEach(lease -> leases.put(lease.sequence(), lease));
    return messages.stream().map(message -> leases.get(message.sequence())).toList();
  }

  /** Whether the last attempt ended with a crash of its process, and counts. */
  private static boolean hasCrashedAlone(ClaimedMessage message) {
    return message.orphaned() && message.crashes() > 1;
  }

  private static void recordCrashes(Handle handle, List<ClaimedMessage> crashed) {
    if (!crashed.isEmpty()) {
      handle
          .createQuery(HistorySql.RECORD_CRASHES)
          .bind("seqs", PgArray.longs(crashed, ClaimedMessage::sequence))
          .bind("attempts", PgArray.integers(crashed, ClaimedMessage::attempt))
          .mapTo(Integer.class)
          .one();
    }
  }

  /**
   * Marks a message that is about to be handled alone, and records the crash that ended its last
   * attempt, if any.
   */
  public static boolean markCrashRiskAlone(Handle handle, long sequence, Duration holdBack) {
    Optional<Integer> crashed =
        handle
            .createQuery(OutcomeSql.MARK_CRASH_RISK_ALONE)
            .bind("seq", sequence)
            .bind("holdBack", new Interval(holdBack))
            .mapTo(Integer.class)
            .findOne();
    if (crashed.isPresent() && crashed.get() > 0) {
      handle
          .createQuery(HistorySql.RECORD_CRASHES)
          .bind("seqs", PgArray.longs(List.of(sequence), Function.identity()))
          .bind("attempts", PgArray.integers(List.of(crashed.get()), Function.identity()))
          .mapTo(Integer.class)
          .one();
    }
    return crashed.isPresent();
  }

  /**
   * Locks the messages of those leases that are still held.
   *
   * @param found receives the sequence of each, and its lane
   */
  static Set<Lease> claim(
      Handle handle, Collection<Lease> leases, BiConsumer<Long, Integer> found) {
    return new HashSet<>(
        bind(handle.createQuery(LeaseSql.CLAIM_LEASED), leases)
            .map(
                (row, context) -> {
                  found.accept(row.getLong("seq"), row.getInt("lane"));
                  return row(row, context);
                })
            .list());
  }

  /** Which of these leases are still held, whoever has locked their messages. */
  static Set<Lease> held(Handle handle, Collection<Lease> leases) {
    return new HashSet<>(
        bind(handle.createQuery(LeaseSql.STILL_LEASED), leases).map(LeaseStatements::row).list());
  }

  public static Set<Lease> renew(Handle handle, Collection<Lease> leases, Duration time) {
    handle.execute(SessionSql.BY_INDEX);
    return new HashSet<>(
        bind(handle.createQuery(LeaseSql.RENEW), leases)
            .bind("time", new Interval(time))
            .map(LeaseStatements::row)
            .list());
  }

  public static int release(Handle handle, Collection<Lease> leases) {
    handle.execute(SessionSql.BY_INDEX);
    return bind(handle.createUpdate(LeaseSql.GIVE_BACK), leases).execute();
  }

  private static <S extends SqlStatement<S>> S bind(S statement, Collection<Lease> leases) {
    List<Lease> all = List.copyOf(leases);
    return statement
        .bind("seqs", PgArray.longs(all, Lease::sequence))
        .bind("tokens", PgArray.longs(all, Lease::token));
  }

  private static Lease row(ResultSet row, Object context) throws SQLException {
    return new Lease(row.getLong("seq"), row.getLong("lease"));
  }
}
