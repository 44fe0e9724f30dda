package io.inbox4j.jdbi.internal.connect;

import io.inbox4j.jdbi.internal.sql.SessionSql;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jdbi.v3.core.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * A connection in a transaction of the caller, presented to the store as a connection with
 * auto-commit, on which the store can begin and end its own transactions.
 *
 * <p>The store's work runs inside a savepoint. It is committed when the caller commits, and if it
 * fails the caller can continue. The settings of the caller's transaction are restored when the
 * store is done.
 */
public final class JoinedTransaction implements InvocationHandler {

  private final Connection lent;
  private final ConnectionFactory source;
  private final String[] settings;

  /** Whether the store has begun a transaction of its own. */
  private boolean begun;

  private boolean closed;

  private JoinedTransaction(Connection lent, ConnectionFactory source) throws SQLException {
    this.lent = lent;
    this.source = source;
    execute(SessionSql.JOIN);
    this.settings = readSettings();
  }

  static Connection on(Connection lent, ConnectionFactory source) throws SQLException {
    return (Connection)
        Proxy.newProxyInstance(
            JoinedTransaction.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new JoinedTransaction(lent, source));
  }

  /** Whether somebody else commits later what is committed on this connection. */
  public static boolean isOn(Connection connection) {
    return Proxy.isProxyClass(connection.getClass())
        && Proxy.getInvocationHandler(connection) instanceof JoinedTransaction;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object first = arguments == null ? null : arguments[0];
    switch (method.getName()) {
      case "equals" -> {
        return proxy == first;
      }
      case "hashCode" -> {
        return System.identityHashCode(proxy);
      }
      case "getAutoCommit" -> {
        return !begun;
      }
      case "isClosed" -> {
        return closed || lent.isClosed();
      }
      case "setAutoCommit" -> setAutoCommit(Boolean.TRUE.equals(first));
      case "commit" -> commit();
      case "close" -> close();
      case "abort" -> {} // aborting the connection is up to the caller
      case "rollback" -> {
        if (first != null) {
          return call(method, arguments);
        }
        rollback();
      }
      default -> {
        return call(method, arguments);
      }
    }
    return null;
  }

  private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(lent, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private void setAutoCommit(boolean on) throws SQLException {
    if (on) {
      commit();
    } else if (!begun) {
      execute(SessionSql.BEGIN_JOINED);
      begun = true;
    }
  }

  private void commit() throws SQLException {
    if (begun) {
      execute(SessionSql.COMMIT_JOINED);
      begun = false;
    }
  }

  private void rollback() throws SQLException {
    if (begun) {
      execute(SessionSql.ROLLBACK_JOINED);
      begun = false;
    }
  }

  private void close() throws SQLException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      rollback();
      leave();
    } finally {
      source.closeConnection(lent);
    }
  }

  /** Keeps what was done, unless a statement has failed: then rolling back is the only option. */
  private void leave() throws SQLException {
    if (lent.isClosed()) {
      return;
    }
    try {
      restoreSettings();
      execute(SessionSql.LEAVE);
    } catch (SQLException e) {
      try {
        execute(SessionSql.LEAVE_UNDONE);
      } catch (SQLException again) {
        again.addSuppressed(e);
        throw again;
      }
    }
  }

  private String[] readSettings() throws SQLException {
    try (Statement statement = lent.createStatement();
        ResultSet row = statement.executeQuery(SessionSql.READ_SETTINGS)) {
      row.next();
      return (String[]) row.getArray(1).getArray();
    }
  }

  private void restoreSettings() throws SQLException {
    try (PreparedStatement statement = lent.prepareStatement(SessionSql.RESTORE_SETTINGS)) {
      statement.setArray(1, lent.createArrayOf("text", settings));
      statement.execute();
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = lent.createStatement()) {
      statement.execute(sql);
    }
  }
}
