package io.inbox4j.jdbi.internal.work;

import io.inbox4j.jdbi.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The savepoint that handlers run behind.
 *
 * <p>It takes no round trip of its own while all goes well: a claim sets it in passing, and when
 * what was done behind it is kept it ends with the statement that comes next. A role or a search
 * path that handlers have set ends with it, as far as it is known: the store's own statements, and
 * the next handlers, have those of before.
 */
final class HandlerSavepoint {

  private enum State {
    NONE,
    /** Set in passing; nobody has asked for it. */
    AHEAD,
    IN_USE,
    /** What was done behind it is kept; the server does not know yet. */
    KEPT
  }

  private final Connection connection;
  private final Supplier<String> restoring;
  private State state = State.NONE;

  /**
   * @param restoring what has to be executed after handlers, with a semicolon behind it, or nothing
   */
  HandlerSavepoint(Connection connection, Supplier<String> restoring) {
    this.connection = connection;
    this.restoring = restoring;
  }

  /** A claim has set it. */
  void wasSet() {
    state = State.AHEAD;
  }

  void set() throws SQLException {
    if (state == State.KEPT) {
      execute(Sql.RELEASE_MARK + restoring.get() + Sql.MARK);
    } else if (state == State.NONE) {
      execute(Sql.MARK);
    }
    state = State.IN_USE;
  }

  void check() throws SQLException {
    execute(Sql.CHECK);
  }

  /** Unless the driver knows that all is well the server is asked. */
  void keep() throws SQLException {
    if (isInOpenTransaction()) {
      state = State.KEPT;
    } else {
      execute(Sql.KEEP + restoring.get());
      state = State.NONE;
    }
  }

  private boolean isInOpenTransaction() throws SQLException {
    return isKnownToBe(TransactionState.OPEN);
  }

  /** Whether the driver knows that there is no transaction any more. */
  boolean isGone() throws SQLException {
    return isKnownToBe(TransactionState.IDLE);
  }

  private boolean isKnownToBe(TransactionState expected) throws SQLException {
    return connection.isWrapperFor(BaseConnection.class)
        && connection.unwrap(BaseConnection.class).getTransactionState() == expected;
  }

  void undo() throws SQLException {
    execute(Sql.UNDO);
    state = State.NONE;
  }

  /** Ends it, unless it is in use. */
  void release() throws SQLException {
    String end = end();
    if (!end.isEmpty()) {
      execute(end);
    }
  }

  /** What has to be executed before the next statement, to end it unless it is in use. */
  String end() {
    if (state == State.NONE || state == State.IN_USE) {
      return "";
    }
    state = State.NONE;
    return Sql.KEEP + restoring.get();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
