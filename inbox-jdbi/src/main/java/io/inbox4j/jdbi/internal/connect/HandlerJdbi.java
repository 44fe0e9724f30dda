package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Opens JDBI handles for handlers on the transaction that they run in.
 *
 * <p>All share one {@link Jdbi}, so that its mapper caches are filled only once.
 */
public final class HandlerJdbi {

  @SuppressWarnings("ThreadLocalUsage") // set only for the duration of one call
  private final ThreadLocal<Connection> current = new ThreadLocal<>();

  private final Jdbi jdbi = Jdbi.create(new CurrentConnection());

  public HandlerJdbi(Consumer<Jdbi> configuration) {
    configuration.accept(jdbi);
  }

  /** Opens a handle on the given connection; closing the handle leaves the connection open. */
  public Handle open(Connection connection) {
    current.set(connection);
    try {
      return jdbi.open();
    } finally {
      current.remove();
    }
  }

  private final class CurrentConnection implements ConnectionFactory {

    @Override
    public Connection openConnection() throws SQLException {
      Connection connection = current.get();
      if (connection == null) {
        throw new SQLException("there is no transaction of a handler on this thread");
      }
      return connection;
    }

    @Override
    public void closeConnection(Connection connection) {
      // The inbox ends the transaction and returns the connection.
    }
  }
}
