package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * A connection factory whose connections begin and end only the store's own transactions.
 *
 * <p>A pool may hand out connections with auto-commit off. JDBI assumes that such a connection is
 * already in a transaction and would never commit, so auto-commit is switched on while the
 * connection is borrowed. A data source that is aware of the calling thread's transaction, as
 * Spring's is, hands out the connection of that transaction: switching auto-commit on there would
 * commit what the caller has done so far, so the transaction is joined instead.
 */
public final class AutoCommitConnections implements ConnectionFactory {

  private final ConnectionFactory source;
  private final SpringTransactions spring;
  private final Set<Connection> switchedOn = ConcurrentHashMap.newKeySet();

  /** Whether connections come with auto-commit off even when there is no transaction. */
  private volatile boolean lendsWithoutAutoCommit;

  /**
   * @param source a pool, which may be aware of the calling thread's transaction
   * @param origin what the source is about, whose class loader may know Spring
   */
  public AutoCommitConnections(ConnectionFactory source, Object origin) {
    this.source = source;
    this.spring = SpringTransactions.knownTo(origin);
  }

  public AutoCommitConnections(DataSource dataSource) {
    this(dataSource::getConnection, dataSource);
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = connect();
    try {
      if (connection.getAutoCommit()) {
        return connection;
      }
      if (isOfCaller(connection)) {
        return JoinedTransaction.on(connection, source);
      }
      connection.setAutoCommit(true);
      switchedOn.add(connection);
      return connection;
    } catch (SQLException | RuntimeException e) {
      source.closeConnection(connection);
      throw e;
    }
  }

  @Override
  public void closeConnection(Connection connection) throws SQLException {
    try {
      if (switchedOn.remove(connection) && !connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    } finally {
      if (JoinedTransaction.isOn(connection)) {
        connection.close();
      } else {
        source.closeConnection(connection);
      }
    }
  }

  /**
   * Whether the caller holds this connection as well: the data source hands out the same one again
   * while it is borrowed. Auto-commit being off is not proof enough, because joining a transaction
   * that nobody commits would lose messages.
   */
  private boolean isOfCaller(Connection connection) throws SQLException {
    if (lendsWithoutAutoCommit
        && !ServerSession.isInTransaction(connection)
        && !spring.isActive()) {
      return false;
    }
    Connection other = connect();
    try {
      if (ServerSession.isSame(connection, other)) {
        return true;
      }
      lendsWithoutAutoCommit |= !other.getAutoCommit();
      return false;
    } finally {
      source.closeConnection(other);
    }
  }

  /**
   * A pool may throw anything, and few set an SQLSTATE; a missing connection is never the fault of
   * a message.
   */
  private Connection connect() throws SQLException {
    try {
      return source.openConnection();
    } catch (SQLException e) {
      throw new SQLTransientConnectionException(e.getMessage(), e.getSQLState(), e);
    } catch (RuntimeException e) {
      throw new SQLTransientConnectionException(e.toString(), e);
    }
  }
}
