package io.inbox4j.jdbi.internal.connect;

import io.inbox4j.jdbi.internal.sql.NotifySql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The server session behind a connection that a pool has wrapped. */
final class ServerSession {

  private ServerSession() {}

  /** Whether the driver has seen a transaction begin. */
  static boolean isInTransaction(Connection connection) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
  }

  /** Whether two connections without auto-commit are the same connection. */
  static boolean isSame(Connection one, Connection other) throws SQLException {
    if (one.isWrapperFor(PGConnection.class) && other.isWrapperFor(PGConnection.class)) {
      return one.unwrap(PGConnection.class) == other.unwrap(PGConnection.class);
    }
    return id(one) == id(other);
  }

  /** The backend process id; through a pooler, that of the session that runs this transaction. */
  static int id(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(NotifySql.SESSION)) {
      row.next();
      return row.getInt(1);
    }
  }
}
