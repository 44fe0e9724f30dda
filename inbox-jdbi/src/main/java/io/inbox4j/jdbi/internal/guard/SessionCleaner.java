package io.inbox4j.jdbi.internal.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.guard.HandlerSql.Trace;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps session state that handlers leave on a connection from leaking to its next user.
 *
 * <p>It goes by the SQL that handlers execute, so it costs nothing unless there is something to
 * clean.
 */
public final class SessionCleaner {

  private static final Logger log = LoggerFactory.getLogger(SessionCleaner.class);

  private final @Nullable DataSource dataSource;
  private final PoolerAwareConnections sessions;
  private final HandlerSql.Known sql = new HandlerSql.Known();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /**
   * @param dataSource the pool, if it is known
   */
  public SessionCleaner(@Nullable DataSource dataSource, PoolerAwareConnections sessions) {
    this.dataSource = dataSource;
    this.sessions = sessions;
  }

  /** Creates a guard around a connection for handlers. */
  public TransactionGuard guard(Connection connection) {
    return new TransactionGuard(connection, sql, sessions.areKnownToBeShared());
  }

  /**
   * Cleans a session after its transaction.
   *
   * @return false if that is not possible and the connection must not be used again
   */
  public boolean clear(Handle handle, Trace trace, String endpoint) {
    if (JoinedTransaction.isOn(handle.getConnection())) {
      return true; // that session belongs to the caller
    }
    if (trace == Trace.SETTINGS && warned.add(endpoint)) {
      log.warn(
          "A handler of {} changes settings of its session, so its connection is closed after every"
              + " transaction; SET LOCAL, or set_config(…, true), ends with the transaction",
          endpoint);
    }
    if (trace == Trace.LEFTOVERS || trace == Trace.UNSEEN) {
      handle.execute(SessionSql.CLEAR_SESSION);
    }
    return trace != Trace.SETTINGS;
  }

  /** Closes a connection and evicts it from its pool, so that it is not handed out again. */
  public void discard(Connection connection) {
    try {
      if (dataSource instanceof HikariDataSource pool) {
        pool.evictConnection(connection);
      } else {
        connection.abort(Runnable::run);
      }
    } catch (SQLException e) {
      log.debug("A connection could not be closed: {}", SqlErrors.translated(e).getMessage());
    }
  }
}
