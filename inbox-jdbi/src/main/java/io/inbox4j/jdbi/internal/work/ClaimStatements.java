package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.ClaimSql;
import io.inbox4j.jdbi.internal.sql.LaneSql;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.store.ClaimedMessage;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * The statements that claim messages in a transaction. It remembers in which lanes they are, which
 * the statements that give them their outcomes have to say.
 */
final class ClaimStatements {

  private static final int NOWHERE = Short.MAX_VALUE;

  private final Connection connection;
  private final WorkSql sql;
  private final String endpoint;
  private final HandlerSavepoint savepoint;
  private final Map<Long, Integer> lanes = new HashMap<>();

  ClaimStatements(Connection connection, WorkSql sql, String endpoint, HandlerSavepoint savepoint) {
    this.connection = connection;
    this.sql = sql;
    this.endpoint = endpoint;
    this.savepoint = savepoint;
  }

  /** Called with a lane, and the sequence of a message that is in it now. */
  interface Unparked {
    void accept(int lane, long sequence);
  }

  /** The lane, or place where it is parked, of a message that was claimed. */
  int laneOf(ClaimedMessage message) {
    return laneOf(message.sequence());
  }

  /** The same by its sequence; nowhere if it was not claimed in this transaction. */
  int laneOf(long sequence) {
    return lanes.getOrDefault(sequence, NOWHERE);
  }

  /** Records that a message was moved to where it is parked. */
  void parked(long sequence) {
    lanes.computeIfPresent(sequence, (same, lane) -> -1 - (Math.max(lane, -1 - lane) & 127));
  }

  /** Records where a message is whose lease was claimed. */
  void found(long sequence, int lane) {
    lanes.put(sequence, lane);
  }

  /**
   * Looks for lanes, and locks some.
   *
   * @param used lanes to leave out
   */
  LaneClaim.Lanes lockLanes(LaneCursor.Look look, Set<Integer> used) throws SQLException {
    savepoint.release();
    String more =
        look.glances()
            ? LaneSql.DUE_FIRST_AND_GLANCE
            : look.isQuick() ? LaneSql.DUE_FIRST : LaneSql.DUE_IN_LANES;
    try (PreparedStatement statement = sql.lockLanes(connection, more)) {
      int n = 0;
      statement.setArray(++n, int2(look.lanes()));
      statement.setArray(++n, after(look.lanes(), look.after()));
      statement.setString(++n, endpoint);
      if (!look.isQuick()) {
        statement.setArray(++n, int2(look.lanes()));
      }
      statement.setString(++n, endpoint);
      if (look.glances()) {
        statement.setString(++n, endpoint);
        statement.setString(++n, endpoint);
      }
      statement.setArray(++n, int2(used));
      statement.setString(++n, endpoint);
      statement.setString(++n, endpoint);
      statement.setInt(++n, look.locks());
      LaneClaim.Lanes found = LaneClaim.Lanes.none();
      try (ResultSet row = rows(statement)) {
        while (row.next()) {
          found.add(
              row.getInt("lane"),
              row.getBoolean("locked"),
              row.getObject("head", Long.class),
              row.getInt("due"));
        }
      }
      return found;
    }
  }

  void unpark(Set<Integer> parked, int most, Unparked moved) throws SQLException {
    savepoint.release();
    try (PreparedStatement statement = sql.prepare(connection, LaneSql.UNPARK)) {
      statement.setArray(1, int2(parked));
      statement.setString(2, endpoint);
      statement.setString(3, endpoint);
      statement.setInt(4, most);
      statement.setArray(5, int2(parked));
      statement.setString(6, endpoint);
      statement.setString(7, endpoint);
      statement.setString(8, endpoint);
      statement.setString(9, endpoint);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          moved.accept(row.getInt("lane"), row.getLong("seq"));
        }
      }
    }
  }

  /** Claims messages without an ordering key, and sets the savepoint of their handlers. */
  List<ClaimedMessage> claim(List<Integer> from, long[] after, Set<String> types, int limit)
      throws SQLException {
    savepoint.release();
    try (PreparedStatement statement = sql.claim(connection, limit)) {
      statement.setFetchSize(0); // all rows now: locks taken after the savepoint are lost with it
      statement.setArray(1, int2(from));
      statement.setArray(2, after(from, after));
      statement.setString(3, endpoint);
      statement.setArray(4, connection.createArrayOf("text", types.toArray()));
      List<ClaimedMessage> messages = read(statement);
      savepoint.wasSet();
      return messages;
    }
  }

  /** Reads the first messages with an ordering key in these lanes, except of these keys. */
  List<KeyedWalk.Entry> walk(List<Integer> from, long[] after, Set<String> without, int limit)
      throws SQLException {
    savepoint.release();
    try (PreparedStatement statement = sql.walkLanes(connection, limit)) {
      statement.setString(1, endpoint);
      statement.setArray(2, int2(from));
      statement.setArray(3, int2(from));
      statement.setArray(4, after(from, after));
      statement.setString(5, endpoint);
      statement.setArray(6, connection.createArrayOf("text", without.toArray()));
      statement.setString(7, endpoint);
      statement.setString(8, endpoint);
      List<KeyedWalk.Entry> entries = new ArrayList<>();
      try (ResultSet row = rows(statement)) {
        while (row.next()) {
          entries.add(
              new KeyedWalk.Entry(
                  row.getInt("lane"),
                  row.getLong("seq"),
                  row.getString("ordering_key"),
                  row.getString("type"),
                  row.getBoolean("orphaned"),
                  row.getInt("crashes"),
                  row.getBoolean("held_up")));
        }
      }
      return entries;
    }
  }

  /** Moves messages out of their lanes until an earlier one of their key is due. */
  void hold(List<KeyedWalk.Entry> held) throws SQLException {
    if (!held.isEmpty()) {
      savepoint.release();
      try (PreparedStatement statement = sql.prepare(connection, LaneSql.HOLD)) {
        statement.setArray(1, int2(values(held, KeyedWalk.Entry::lane)));
        statement.setArray(2, int8(values(held, KeyedWalk.Entry::sequence)));
        statement.setArray(
            3, connection.createArrayOf("bool", values(held, KeyedWalk.Entry::orphaned).toArray()));
        statement.setString(4, endpoint);
        statement.executeUpdate();
      }
    }
  }

  /** Claims what can still be claimed of these. */
  List<ClaimedMessage> claimThese(Collection<KeyedWalk.Entry> entries) throws SQLException {
    try (PreparedStatement statement = sql.prepare(connection, ClaimSql.CLAIM_THESE)) {
      statement.setArray(1, int2(values(entries, KeyedWalk.Entry::lane)));
      statement.setArray(2, int8(values(entries, KeyedWalk.Entry::sequence)));
      statement.setString(3, endpoint);
      return read(statement);
    }
  }

  /** Claims these messages in the lanes that nobody else has locked. */
  List<ClaimedMessage> claimInLanes(String claim, List<Long> sequences) throws SQLException {
    List<Integer> locked = lockLanesOf(sequences);
    try (PreparedStatement statement = sql.prepare(connection, claim)) {
      statement.setArray(1, int8(sequences));
      statement.setArray(2, int2(locked));
      return read(statement);
    }
  }

  List<ClaimedMessage> reclaim(List<Long> sequences) throws SQLException {
    try (PreparedStatement statement = sql.reclaim(connection)) {
      statement.setArray(1, int8(sequences));
      return read(statement);
    }
  }

  /**
   * Claims messages that this transaction has stored.
   *
   * @param keyed whether any of them may have an ordering key
   */
  List<ClaimedMessage> claimReceived(Set<String> types, List<Long> sequences, boolean keyed)
      throws SQLException {
    if (sequences.isEmpty()) {
      return List.of();
    }
    List<Integer> locked = keyed ? lockLanesOf(sequences) : List.of();
    long first = sequences.stream().mapToLong(Long::longValue).min().orElseThrow();
    try (PreparedStatement statement = sql.prepare(connection, ClaimSql.CLAIM_RECEIVED)) {
      statement.setArray(1, connection.createArrayOf("text", types.toArray()));
      statement.setArray(2, int8(sequences));
      statement.setArray(3, int2(locked));
      statement.setLong(4, first);
      statement.setLong(5, first);
      statement.setString(6, endpoint);
      return read(statement);
    }
  }

  /** Locks the lanes of these messages that nobody else holds, and returns them. */
  private List<Integer> lockLanesOf(List<Long> sequences) throws SQLException {
    List<Integer> locked = new ArrayList<>();
    try (PreparedStatement statement = sql.prepare(connection, LaneSql.LOCK_LANES_OF)) {
      statement.setArray(1, int8(sequences));
      statement.setString(2, endpoint);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          locked.add(row.getInt("lane"));
        }
      }
    }
    return locked;
  }

  private static <T, V> List<V> values(Collection<T> items, Function<T, V> value) {
    return items.stream().map(value).toList();
  }

  private Array int2(Collection<Integer> values) throws SQLException {
    return connection.createArrayOf("int2", values.toArray());
  }

  private Array int8(Collection<Long> values) throws SQLException {
    return connection.createArrayOf("int8", values.toArray());
  }

  private Array after(List<Integer> of, long[] after) throws SQLException {
    return int8(of.stream().map(lane -> after[lane]).toList());
  }

  private List<ClaimedMessage> read(PreparedStatement statement) throws SQLException {
    List<ClaimedMessage> messages = new ArrayList<>();
    try (ResultSet row = rows(statement)) {
      while (row.next()) {
        ClaimedMessage message = message(row);
        lanes.put(message.sequence(), row.getInt("lane"));
        messages.add(message);
      }
    }
    return messages;
  }

  /** The rows of the query among the settings before and after it. */
  private static ResultSet rows(PreparedStatement statement) throws SQLException {
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
        lag(receivedAt, Row.instant(row, "claimed_on_utc")),
        System.nanoTime(),
        row.getString("ordering_key"),
        row.getInt("attempts"),
        row.getInt("crashes"),
        row.getBoolean("orphaned"));
  }

  /** Never negative: a message may have been stored after the statement that claims it began. */
  private static Duration lag(Instant receivedAt, Instant claimedAt) {
    return claimedAt.isAfter(receivedAt) ? Duration.between(receivedAt, claimedAt) : Duration.ZERO;
  }
}
