package io.inbox4j.cli.internal.tables;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data source that keeps returned connections for reuse until the command ends. A pool does more
 * than a command needs, and takes longer to start and stop than its queries.
 */
final class KeptConnections extends PGSimpleDataSource implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(KeptConnections.class);
  private static final long serialVersionUID = 1;

  private final transient ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();

  @Override
  public Connection getConnection() throws SQLException {
    Connection kept = idle.poll();
    Connection connection = kept == null ? super.getConnection() : kept;
    AtomicBoolean closed = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> call(connection, closed, method, args));
  }

  private @Nullable Object call(
      Connection connection, AtomicBoolean closed, Method method, Object[] args) throws Throwable {
    if (method.getName().equals("close")) {
      if (closed.compareAndSet(false, true)) {
        release(connection);
      }
      return null;
    }
    if (closed.get() && method.getDeclaringClass() != Object.class) {
      if (method.getName().equals("isClosed")) {
        return true;
      }
      throw new SQLException("the connection was given back", "08003");
    }
    try {
      return method.invoke(connection, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** A connection that is lost or in a transaction cannot be reused. */
  private void release(Connection connection) throws SQLException {
    if (!connection.isClosed() && connection.getAutoCommit()) {
      idle.push(connection);
    } else {
      connection.close();
    }
  }

  @Override
  public void close() {
    for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
      try {
        connection.close();
      } catch (SQLException e) {
        log.debug("A connection could not be closed; the server does it", e);
      }
    }
  }
}
