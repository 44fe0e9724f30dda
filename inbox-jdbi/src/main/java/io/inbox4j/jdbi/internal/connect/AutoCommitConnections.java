package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * Takes connections that begin and end no transaction but the store's own.
 *
 * <p>A pool may lend connections with auto-commit off. JDBI takes such a one for being within a
 * transaction already and would never commit, so it is switched on while it is lent. A data source
 * that knows the transaction of the calling thread, as that of Spring does, lends the connection of
 * that transaction: there it would commit what the caller has done so far, and so the transaction
 * is joined.
 */
public final class AutoCommitConnections implements ConnectionFactory {

  private final DataSource dataSource;
  private final SpringTransactions spring;
  private final Set<Connection> switchedOn = ConcurrentHashMap.newKeySet();

  /** Whether connections come without auto-commit where there is no transaction, too. */
  private volatile boolean lendsWithoutAutoCommit;

  public AutoCommitConnections(DataSource dataSource) {
    this.dataSource = dataSource;
    this.spring = SpringTransactions.knownTo(dataSource);
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = connect();
    try {
      if (connection.getAutoCommit()) {
        return connection;
      }
      if (isOfCaller(connection)) {
        return JoinedTransaction.on(connection);
      }
      connection.setAutoCommit(true);
      switchedOn.add(connection);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
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
      connection.close();
    }
  }

  /**
   * Whether somebody else has the connection as well: it is lent again while it is here. To join a
   * transaction that nobody commits would lose messages, so it is not enough that auto-commit is
   * off.
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
      other.close();
    }
  }

  /** Whatever a pool throws, and few give it a state: that there is none is no message's fault. */
  private Connection connect() throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw new SQLTransientConnectionException(e.getMessage(), e.getSQLState(), e);
    } catch (RuntimeException e) {
      throw new SQLTransientConnectionException(e.toString(), e);
    }
  }
}
