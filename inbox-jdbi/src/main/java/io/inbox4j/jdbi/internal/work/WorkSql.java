package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.ClaimSql;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.LaneSql;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The statements with which the workers of a store claim. The driver gets them without JDBI,
 * because each is sent together with settings and savepoints.
 */
public final class WorkSql {

  private final InboxSchema schema;
  private final Map<String, String> looks = new ConcurrentHashMap<>();
  private final long idleTimeoutMillis;
  private final String reclaim;
  private final Map<Integer, String> claims = new ConcurrentHashMap<>();
  private final Map<Integer, String> walks = new ConcurrentHashMap<>();

  /** The settings at the start of a transaction. */
  final String settings;

  public WorkSql(InboxSchema schema, long idleTimeoutMillis) {
    this.schema = schema;
    this.settings = SessionSql.settings(idleTimeoutMillis);
    this.idleTimeoutMillis = idleTimeoutMillis;
    this.reclaim = ClaimSql.reclaim(idleTimeoutMillis);
  }

  PreparedStatement claim(Connection connection, int limit) throws SQLException {
    return prepare(connection, claims.computeIfAbsent(limit, ClaimSql::claim));
  }

  PreparedStatement lockLanes(Connection connection, String more) throws SQLException {
    return prepare(
        connection, looks.computeIfAbsent(more, it -> LaneSql.lockLanes(it, idleTimeoutMillis)));
  }

  PreparedStatement walkLanes(Connection connection, int limit) throws SQLException {
    return prepare(connection, walks.computeIfAbsent(limit, ClaimSql::walkLanes));
  }

  PreparedStatement reclaim(Connection connection) throws SQLException {
    return prepare(connection, reclaim);
  }

  PreparedStatement prepare(Connection connection, String statement) throws SQLException {
    return schema.prepare(connection, statement);
  }
}
