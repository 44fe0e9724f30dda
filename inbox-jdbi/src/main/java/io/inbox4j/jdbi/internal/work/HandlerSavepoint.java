package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.SessionSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The savepoint inside which handlers run.
 *
 * <p>It costs no extra round trip in the normal case: a claim sets it in the same statement, and if
 * the work inside it is kept, it is released together with the next statement. A role or search
 * path that handlers have set is reset with it, as far as it is known: the store's own statements,
 * and the next handlers, run with the previous ones.
 */
final class HandlerSavepoint {

  private enum State {
    NONE,
    /** Set by a claim, not in use yet. */
    AHEAD,
    IN_USE,
    /** The work inside it is kept, but the savepoint is not released on the server yet. */
    KEPT
  }

  private final Connection connection;
  private final Supplier<String> restoring;
  private State state = State.NONE;

  /**
   * @param restoring the SQL to execute after handlers, terminated by a semicolon, or empty
   */
  HandlerSavepoint(Connection connection, Supplier<String> restoring) {
    this.connection = connection;
    this.restoring = restoring;
  }

  /** Records that a claim has set the savepoint. */
  void wasSet() {
    state = State.AHEAD;
  }

  void set() throws SQLException {
    if (state == State.KEPT) {
      execute(SessionSql.RELEASE_MARK + restoring.get() + SessionSql.MARK);
    } else if (state == State.NONE) {
      execute(SessionSql.MARK);
    }
    state = State.IN_USE;
  }

  void check() throws SQLException {
    execute(SessionSql.CHECK);
  }

  /**
   * Keeps the work inside the savepoint. Asks the server unless the driver knows that the
   * transaction is intact.
   */
  void keep() throws SQLException {
    if (isInOpenTransaction()) {
      state = State.KEPT;
    } else {
      execute(SessionSql.KEEP + restoring.get());
      state = State.NONE;
    }
  }

  private boolean isInOpenTransaction() throws SQLException {
    return isKnownToBe(TransactionState.OPEN);
  }

  /** Whether the driver knows that the transaction has ended. */
  boolean isGone() throws SQLException {
    return isKnownToBe(TransactionState.IDLE);
  }

  private boolean isKnownToBe(TransactionState expected) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() == expected;
  }

  void rollback() throws SQLException {
    execute(SessionSql.UNDO);
    state = State.NONE;
  }

  /** Releases the savepoint unless it is in use. */
  void release() throws SQLException {
    String end = end();
    if (!end.isEmpty()) {
      execute(end);
    }
  }

  /**
   * The SQL to execute before the next statement, which releases the savepoint unless it is in use.
   */
  String end() {
    if (state == State.NONE || state == State.IN_USE) {
      return "";
    }
    state = State.NONE;
    return SessionSql.KEEP + restoring.get();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
