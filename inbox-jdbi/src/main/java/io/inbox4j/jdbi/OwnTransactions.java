package io.inbox4j.jdbi;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * Takes connections that begin and end no transaction but the store's own.
 *
 * <p>A pool may lend connections with auto-commit off. JDBI takes such a one for being within a
 * transaction already and would never commit.
 */
record OwnTransactions(DataSource dataSource) implements ConnectionFactory {

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = connect();
    try {
      if (!connection.getAutoCommit()) {
        connection.setAutoCommit(true);
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
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
