package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Gives handlers JDBI handles on the transaction they run in.
 *
 * <p>One {@link Jdbi} for all of them, so that what it has learned about mappers is learned once.
 */
public final class HandlerJdbi {

  @SuppressWarnings("ThreadLocalUsage") // set for the length of one call only
  private final ThreadLocal<Connection> current = new ThreadLocal<>();

  private final Jdbi jdbi = Jdbi.create(new CurrentConnection());

  public HandlerJdbi(Consumer<Jdbi> configuration) {
    configuration.accept(jdbi);
  }

  /** A handle on the given connection; closing it leaves the connection alone. */
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
      // The inbox ends the transaction and gives the connection back.
    }
  }
}
