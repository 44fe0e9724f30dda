package io.inbox4j.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * A data source that opens a connection whenever there is none to reuse: to connect takes
 * PostgreSQL more time than most tests do.
 *
 * <p>A reused connection is as good as new: its session has been reset. There is no limit to the
 * number in use, as tests leave connections open on purpose.
 */
final class ReusedConnections extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;

  /** Of all data sources; the oldest is closed for a newer one. */
  private static final int MAX_IDLE = 16;

  private static final Deque<Idle> IDLE = new ArrayDeque<>();

  private record Idle(String url, Connection connection) {}

  /** With the user, whom {@link #getUrl()} leaves out. */
  private final String url;

  ReusedConnections(String url) {
    this.url = url;
    setUrl(url);
  }

  @Override
  public Connection getConnection() throws SQLException {
    for (Connection idle = idle(); idle != null; idle = idle()) {
      if (reset(idle)) {
        return lent(idle);
      }
    }
    return lent(super.getConnection());
  }

  private @Nullable Connection idle() {
    synchronized (IDLE) {
      for (Idle idle : IDLE) {
        if (idle.url.equals(url)) {
          IDLE.remove(idle);
          return idle.connection;
        }
      }
      return null;
    }
  }

  private static boolean reset(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DISCARD ALL");
      return true;
    } catch (SQLException e) {
      connection.close(); // its session was ended meanwhile
      return false;
    }
  }

  private Connection lent(Connection connection) {
    Lent lent = new Lent(url, connection);
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, lent::invoke);
  }

  private static void giveBack(String url, Connection connection) throws SQLException {
    if (connection.isClosed()) {
      return;
    }
    if (!connection.getAutoCommit()) {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    connection.setReadOnly(false);
    connection.setNetworkTimeout(Runnable::run, 0);
    connection.clearWarnings();
    Idle oldest = null;
    synchronized (IDLE) {
      IDLE.addFirst(new Idle(url, connection));
      if (IDLE.size() > MAX_IDLE) {
        oldest = IDLE.removeLast();
      }
    }
    if (oldest != null) {
      oldest.connection.close();
    }
  }

  private static final class Lent {

    private final String url;
    private final Connection connection;
    private boolean closed;

    Lent(String url, Connection connection) {
      this.url = url;
      this.connection = connection;
    }

    private synchronized @Nullable Object close() throws SQLException {
      if (!closed) {
        closed = true;
        giveBack(url, connection);
      }
      return null;
    }

    private synchronized boolean isClosed() {
      return closed;
    }

    @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
        throws Throwable {
      return switch (method.getName()) {
        case "close" -> close();
        case "isClosed" -> isClosed() || connection.isClosed();
        case "equals" -> arguments != null && proxy == arguments[0];
        case "hashCode" -> System.identityHashCode(proxy);
        case "toString" -> connection.toString();
        default -> pass(method, arguments);
      };
    }

    private @Nullable Object pass(Method method, @Nullable Object @Nullable [] arguments)
        throws Throwable {
      if (isClosed()) {
        throw new PSQLException(
            "This connection has been closed.", PSQLState.CONNECTION_DOES_NOT_EXIST);
      }
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }
}
