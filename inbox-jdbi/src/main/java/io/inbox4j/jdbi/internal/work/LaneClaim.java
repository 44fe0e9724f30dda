package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.store.ClaimedMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages with an ordering key.
 *
 * <p>Keys are hashed into lanes. The holder of a lane's lock, until the end of its transaction, is
 * the only one to claim from it: it scans what is due there and takes the first messages of every
 * key, in arrival order, up to one that cannot be handled now. So a blocked key blocks only itself,
 * not its lane.
 */
final class LaneClaim {

  private static final int BEFORE_ALL = -1;
  private static final int MIN_PAGE = 64;

  private final Connection connection;
  private final WorkSql sql;
  private final String endpoint;
  private final ClaimCursor cursor;
  private final boolean onlyFirstOfKeys;

  /**
   * @param onlyFirstOfKeys whether only one message of a key can be handled at a time
   */
  LaneClaim(
      Connection connection,
      WorkSql sql,
      String endpoint,
      ClaimCursor cursor,
      boolean onlyFirstOfKeys) {
    this.connection = connection;
    this.sql = sql;
    this.endpoint = endpoint;
    this.cursor = cursor;
    this.onlyFirstOfKeys = onlyFirstOfKeys;
  }

  /** Claims from the first unlocked lane after the last one used that has something to claim. */
  List<ClaimedMessage> claim(Set<String> types, int limit) throws SQLException {
    int last = cursor.lane();
    List<ClaimedMessage> messages = claimAfter(last, types, limit);
    return messages.isEmpty() && last != BEFORE_ALL
        ? claimAfter(BEFORE_ALL, types, limit)
        : messages;
  }

  private List<ClaimedMessage> claimAfter(int after, Set<String> types, int limit)
      throws SQLException {
    for (Integer lane = lock(after); lane != null; lane = lock(lane)) {
      cursor.lane(lane);
      Map<Long, String> keys = new Walk(lane, types, limit).run();
      execute(keys.isEmpty() ? Sql.FREE_LANE : Sql.KEEP_LANE);
      List<ClaimedMessage> messages = keys.isEmpty() ? List.of() : fetch(keys);
      if (!messages.isEmpty()) {
        return messages;
      }
    }
    execute(Sql.FREE_LANE);
    return List.of();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private @Nullable Integer lock(int after) throws SQLException {
    try (PreparedStatement statement = sql.lockLane(connection)) {
      statement.setString(1, endpoint);
      statement.setInt(2, after);
      statement.setString(3, endpoint);
      statement.setString(4, endpoint);
      statement.setString(5, endpoint);
      try (ResultSet row = JdbiWorkTransaction.rows(statement)) {
        return row.next() ? row.getInt("lane") : null;
      }
    }
  }

  /** Locks the lanes of these messages that nobody else holds, and returns them. */
  static List<Integer> lockLanesOf(
      Connection connection, WorkSql sql, String endpoint, List<Long> sequences)
      throws SQLException {
    List<Integer> lanes = new ArrayList<>();
    try (PreparedStatement statement = sql.prepare(connection, Sql.LOCK_LANES_OF)) {
      statement.setArray(1, connection.createArrayOf("int8", sequences.toArray()));
      statement.setString(2, endpoint);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          lanes.add(row.getInt("lane"));
        }
      }
    }
    return lanes;
  }

  /** Claims what can still be claimed; nothing of a key of which one message cannot. */
  private List<ClaimedMessage> fetch(Map<Long, String> keys) throws SQLException {
    List<ClaimedMessage> messages;
    try (PreparedStatement statement = sql.prepare(connection, Sql.CLAIM_THESE)) {
      statement.setArray(1, connection.createArrayOf("int8", keys.keySet().toArray()));
      messages = JdbiWorkTransaction.read(statement);
    }
    Map<Long, String> missing = new HashMap<>(keys);
    messages.forEach(message -> missing.remove(message.sequence()));
    return missing.isEmpty()
        ? messages
        : messages.stream()
            .filter(message -> !missing.containsValue(keys.get(message.sequence())))
            .toList();
  }

  /** A scan of what is due in a lane, page by page, until something can be handled. */
  private final class Walk {

    private final int lane;
    private final Set<String> types;
    private final int limit;
    private final Map<Long, String> taken = new LinkedHashMap<>();
    private final Map<String, Kind> kinds = new HashMap<>();
    private final Set<String> heldUp = new HashSet<>();
    private OffsetDateTime lastDue = OffsetDateTime.MIN;
    private long last;

    Walk(int lane, Set<String> types, int limit) {
      this.lane = lane;
      this.types = types;
      this.limit = limit;
    }

    /** The messages that can be handled now, in arrival order, with their keys. */
    Map<Long, String> run() throws SQLException {
      int page = Math.max(limit, MIN_PAGE);
      int seen;
      do {
        seen = readPage(page);
      } while (taken.isEmpty() && seen == page);
      return taken;
    }

    private int readPage(int page) throws SQLException {
      try (PreparedStatement statement = sql.walkLane(connection, page)) {
        statement.setString(1, endpoint);
        statement.setInt(2, lane);
        statement.setObject(3, lastDue);
        statement.setLong(4, last);
        statement.setArray(5, connection.createArrayOf("text", heldUp.toArray()));
        statement.setString(6, endpoint);
        statement.setInt(7, lane);
        statement.setString(8, endpoint);
        statement.setString(9, endpoint);
        statement.setInt(10, lane);
        try (ResultSet row = JdbiWorkTransaction.rows(statement)) {
          int seen = 0;
          while (row.next()) {
            seen = row.getInt("seen");
            lastDue = row.getObject("last_due_on_utc", OffsetDateTime.class);
            last = row.getLong("last_seq");
            pass(row);
          }
          return seen;
        }
      }
    }

    private void pass(ResultSet row) throws SQLException {
      String key = row.getString("ordering_key");
      if (heldUp.contains(key) || taken.size() == limit) {
        return;
      }
      boolean isDue = row.getBoolean("due") && !row.getBoolean("blocked");
      Kind kind = Kind.of(row.getBoolean("orphaned"), row.getInt("crashes"));
      Kind before = kinds.putIfAbsent(key, kind);
      if (isDue && types.contains(row.getString("type")) && (before == null || before == kind)) {
        taken.put(row.getLong("seq"), key);
      } else {
        heldUp.add(key);
      }
      if (kind == Kind.ISOLATED || onlyFirstOfKeys) {
        heldUp.add(key);
      }
    }
  }

  /**
   * Fresh and orphaned messages run in different transactions, so a claim takes one kind per key.
   */
  private enum Kind {
    FRESH,
    ORPHAN,
    ISOLATED;

    static Kind of(boolean orphaned, int crashes) {
      return !orphaned ? FRESH : crashes == 0 ? ORPHAN : ISOLATED;
    }
  }
}
