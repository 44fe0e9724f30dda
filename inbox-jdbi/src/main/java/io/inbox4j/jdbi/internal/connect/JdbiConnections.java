package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A connection factory that borrows connections from somebody's {@link Jdbi}. */
public final class JdbiConnections implements ConnectionFactory {

  private final Jdbi jdbi;

  /** One connection has several if they belong to a transaction of the calling thread. */
  private final Map<Connection, Deque<Handle>> handles = new ConcurrentHashMap<>();

  public JdbiConnections(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  @Override
  public Connection openConnection() throws SQLException {
    try {
      Handle handle = jdbi.open();
      handles.compute(handle.getConnection(), (connection, all) -> with(handle, all));
      return handle.getConnection();
    } catch (ConnectionException e) {
      throw e.getCause() instanceof SQLException sql ? sql : new SQLException(e);
    }
  }

  private static Deque<Handle> with(Handle handle, Deque<Handle> all) {
    Deque<Handle> more = all == null ? new ArrayDeque<>() : all;
    more.push(handle);
    return more;
  }

  @Override
  public void closeConnection(Connection connection) {
    Handle[] last = new Handle[1];
    handles.computeIfPresent(
        connection,
        (it, all) -> {
          last[0] = all.pop();
          return all.isEmpty() ? null : all;
        });
    if (last[0] != null) {
      last[0].close();
    }
  }
}
