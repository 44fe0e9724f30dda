package io.inbox4j.jdbi.internal.connect;

import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections that need not keep a session of the server: between them and it there may be a
 * pooler, such as PgBouncer, that gives every transaction whatever session is free.
 *
 * <p>Through a pooler statements have no names, because the session that gets to know a name may
 * not be the one that is asked for it next. Who has chosen another {@code prepareThreshold} than
 * the driver's own knows what the pooler can do.
 */
public final class HandlerSessionState implements ConnectionFactory {

  private static final Logger log = LoggerFactory.getLogger(HandlerSessionState.class);
  private static final int DRIVERS_THRESHOLD = 5;
  private static final int LOOKS = 20;

  private final ConnectionFactory connections;
  private volatile @Nullable Boolean pooled;
  private volatile boolean shared;

  public HandlerSessionState(ConnectionFactory connections) {
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

  /** Gives a connection back as it was. */
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

  /** A pooler answers for the server when a client connects, and makes up the process id. */
  public static boolean isThroughPooler(Connection connection) throws SQLException {
    return connection.isWrapperFor(PGConnection.class)
        && connection.unwrap(PGConnection.class).getBackendPID() != ServerSession.id(connection);
  }

  /**
   * Looks whether transactions share sessions. Where that cannot be found out, through a pooler
   * with a single connection say, they are taken to.
   */
  public void learnWhetherShared() {
    try {
      shared = areShared();
    } catch (SQLException e) {
      shared = Boolean.TRUE.equals(pooled);
    }
  }

  /** What was learned of it; false until then. */
  public boolean areKnownToBeShared() {
    return shared;
  }

  /**
   * Whether transactions share sessions: another connection gets that of this one, or this one gets
   * several. Where a connection has a session to itself neither happens.
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
