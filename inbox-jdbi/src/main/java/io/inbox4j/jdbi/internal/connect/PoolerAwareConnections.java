package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection factory that does not rely on keeping one server session: the connections may go
 * through a pooler, such as PgBouncer, that assigns every transaction any free session.
 *
 * <p>Through a pooler, statements are sent unnamed, because the session that learned a name may not
 * be the one that gets the next request. A {@code prepareThreshold} other than the driver's default
 * is left alone: whoever set it knows what the pooler supports.
 */
public final class PoolerAwareConnections implements ConnectionFactory {

  private static final Logger log = LoggerFactory.getLogger(PoolerAwareConnections.class);
  private static final int DRIVERS_THRESHOLD = 5;
  private static final int LOOKS = 20;

  private final ConnectionFactory connections;
  private volatile @Nullable Boolean pooled;
  private volatile boolean shared;

  public PoolerAwareConnections(ConnectionFactory connections) {
    this.connections = connections;
  }

  @Override
  public Connection openConnection() throws SQLException {
    Connection connection = connections.openConnection();
    try {
      if (isPooled(connection)) {
        changeThreshold(connection, DRIVERS_THRESHOLD, 0);
      }
      return connection;
    } catch (SQLException e) {
      connections.closeConnection(connection);
      throw e;
    }
  }

  /** Returns a connection in the state in which it was borrowed. */
  @Override
  public void closeConnection(Connection connection) throws SQLException {
    if (Boolean.TRUE.equals(pooled) && !connection.isClosed()) {
      changeThreshold(connection, 0, DRIVERS_THRESHOLD);
    }
    connections.closeConnection(connection);
  }

  private static void changeThreshold(Connection connection, int from, int to) throws SQLException {
    if (connection.isWrapperFor(PGConnection.class)) {
      PGConnection postgres = connection.unwrap(PGConnection.class);
      if (postgres.getPrepareThreshold() == from) {
        postgres.setPrepareThreshold(to);
      }
    }
  }

  private boolean isPooled(Connection connection) throws SQLException {
    Boolean known = pooled;
    if (known == null) {
      known = isThroughPooler(connection);
      pooled = known;
      if (known) {
        log.info(
            "Connections to the database go through a pooler; statements are sent without names");
      }
    }
    return known;
  }

  /**
   * Whether a pooler answers in place of the server: it makes up the backend process id that a
   * client sees when it connects.
   */
  public static boolean isThroughPooler(Connection connection) throws SQLException {
    return connection.isWrapperFor(PGConnection.class)
        && connection.unwrap(PGConnection.class).getBackendPID() != ServerSession.id(connection);
  }

  /**
   * Determines whether transactions share sessions. If that cannot be determined, for example
   * through a pooler with a single connection, they are assumed to.
   */
  public void learnWhetherShared() {
    try {
      shared = areShared();
    } catch (SQLException e) {
      shared = Boolean.TRUE.equals(pooled);
    }
  }

  /** The result of {@link #learnWhetherShared}; false before it was called. */
  public boolean areKnownToBeShared() {
    return shared;
  }

  /**
   * Whether transactions share sessions: a second connection gets the session of the first, or the
   * first gets several. Neither happens where every connection has its own session.
   */
  public boolean areShared() throws SQLException {
    if (Boolean.FALSE.equals(pooled)) {
      return false;
    }
    Connection one = openConnection();
    try {
      return isPooled(one) && isShared(one);
    } finally {
      closeConnection(one);
    }
  }

  private boolean isShared(Connection one) throws SQLException {
    Connection other = openConnection();
    try {
      int first = ServerSession.id(one);
      for (int i = 0; i < LOOKS; i++) {
        if (ServerSession.id(other) == first || ServerSession.id(one) != first) {
          return true;
        }
      }
      return false;
    } finally {
      closeConnection(other);
    }
  }
}
