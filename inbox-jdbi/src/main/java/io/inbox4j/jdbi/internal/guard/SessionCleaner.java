package io.inbox4j.jdbi.internal.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.jdbi.internal.connect.HandlerSessionState;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.guard.HandlerSql.Trace;
import io.inbox4j.jdbi.internal.sql.Sql;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what handlers do to the session of a connection from those who get it next.
 *
 * <p>It goes by what the SQL of handlers says, so it costs nothing unless there is something to do.
 */
public final class SessionCleaner {

  private static final Logger log = LoggerFactory.getLogger(SessionCleaner.class);

  private final DataSource dataSource;
  private final HandlerSessionState sessions;
  private final HandlerSql.Known sql = new HandlerSql.Known();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  public SessionCleaner(DataSource dataSource, HandlerSessionState sessions) {
    this.dataSource = dataSource;
    this.sessions = sessions;
  }

  /** A guard for handlers around a connection. */
  public TransactionGuard guard(Connection connection) {
    return new TransactionGuard(connection, sql, sessions.areKnownToBeShared());
  }

  /**
   * Clears a session after its transaction.
   *
   * @return false if that cannot be done, so that the connection must not be used again
   */
  public boolean clear(Handle handle, Trace trace, String endpoint) {
    if (JoinedTransaction.isOn(handle.getConnection())) {
      return true; // what is in that session is the caller's
    }
    if (trace == Trace.SETTINGS && warned.add(endpoint)) {
      log.warn(
          "A handler of {} changes settings of its session, so its connection is closed after every"
              + " transaction; SET LOCAL, or set_config(…, true), ends with the transaction",
          endpoint);
    }
    if (trace == Trace.LEFTOVERS || trace == Trace.UNSEEN) {
      handle.execute(Sql.CLEAR_SESSION);
    }
    return trace != Trace.SETTINGS;
  }

  /** Closes a connection, so that its pool does not lend it again. */
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
