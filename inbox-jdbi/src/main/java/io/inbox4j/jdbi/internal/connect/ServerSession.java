package io.inbox4j.jdbi.internal.connect;

import io.inbox4j.jdbi.internal.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What is behind a connection that a pool has wrapped. */
final class ServerSession {

  private ServerSession() {}

  /** Whether the driver knows that a transaction has begun. */
  static boolean isInTransaction(Connection connection) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
  }

  /** Whether two connections without auto-commit are one. */
  static boolean isSame(Connection one, Connection other) throws SQLException {
    if (one.isWrapperFor(PGConnection.class) && other.isWrapperFor(PGConnection.class)) {
      return one.unwrap(PGConnection.class) == other.unwrap(PGConnection.class);
    }
    return id(one) == id(other);
  }

  /** Its process id on the server; through a pooler it is that of the transaction. */
  static int id(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(Sql.SESSION)) {
      row.next();
      return row.getInt(1);
    }
  }
}
