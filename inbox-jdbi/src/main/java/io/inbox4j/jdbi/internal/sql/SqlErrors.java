package io.inbox4j.jdbi.internal.sql;

import io.inbox4j.error.InboxException;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.TransactionEndedException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jdbi.v3.core.statement.StatementException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/**
 * Classifies failures by SQLSTATE and translates them into exceptions that tell whose fault they
 * are.
 */
public final class SqlErrors {

  private static final String ABORTED = "25P02";

  /** A savepoint that does not exist, and no transaction that could have one. */
  private static final Set<String> ENDED = Set.of("3B001", "25P01");

  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_SCHEMA = "3F000";
  private static final String READ_ONLY = "25006";
  private static final String LIMIT = "54000";
  static final String FORBIDDEN = "42501";

  /** HikariCP's message, without an SQLSTATE, for a connection that it has found broken. */
  private static final String CLOSED_BY_POOL = "Connection is closed";

  /** Lost connections, exhausted resources, system errors. */
  private static final Set<String> INFRASTRUCTURE_CLASSES = Set.of("08", "53", "58");

  /** Serialization failure and deadlock. */
  private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

  private static final String IDLE_TOO_LONG = "25P03";

  /** Lock timeout and statement timeout. */
  private static final Set<String> TOO_SLOW = Set.of("55P03", "57014");

  /** Rejected data: by its type or by a constraint. */
  private static final Set<String> DATA_CLASSES = Set.of("22", "23");

  /** Raised by a trigger. */
  private static final String RAISED = "P0001";

  /** In a data class, but about a setting. */
  private static final String SETTING = "22023";

  /**
   * Keys that the database generates: a duplicate indicates a sequence that lags behind, as on a
   * logical replica.
   */
  private static final Set<String> GIVEN_KEYS =
      Set.of(
          "inbox_messages_seq",
          "inbox_pending_pkey",
          "inbox_quarantine_pkey",
          "inbox_interventions_pkey",
          "outbox_messages_pkey",
          "outbox_scheduled_pkey",
          "outbox_dead_pkey");

  /** An unknown outcome, timeouts, a server shutting down. */
  private static final Set<String> INFRASTRUCTURE_STATES =
      Set.of("40003", READ_ONLY, "25P04", "57P01", "57P02", "57P03", "57P05");

  private SqlErrors() {}

  public static FailureKind of(Throwable failure) {
    if (failure instanceof AbortedTransactionException) {
      return FailureKind.ABORTED;
    }
    SQLException sql = sqlIn(failure);
    if (sql == null) {
      return failure instanceof StoreUnavailableException
          ? FailureKind.INFRASTRUCTURE
          : FailureKind.MESSAGE;
    }
    FailureKind fault = of(sql);
    return fault == FailureKind.MESSAGE && failure instanceof StoreUnavailableException
        ? FailureKind.INFRASTRUCTURE
        : fault;
  }

  private static FailureKind of(SQLException sql) {
    if (sql instanceof SQLTransientConnectionException || sql instanceof SQLRecoverableException) {
      return FailureKind.INFRASTRUCTURE;
    }
    String state = sql.getSQLState();
    if (state == null) {
      return CLOSED_BY_POOL.equals(sql.getMessage())
          ? FailureKind.INFRASTRUCTURE
          : FailureKind.MESSAGE;
    }
    if (CONFLICTS.contains(state)) {
      return FailureKind.CONFLICT;
    }
    if (state.equals(IDLE_TOO_LONG)) {
      return FailureKind.TIMED_OUT;
    }
    if (state.equals(ABORTED)) {
      return FailureKind.ABORTED;
    }
    return INFRASTRUCTURE_STATES.contains(state) || isOneOf(INFRASTRUCTURE_CLASSES, state)
        ? FailureKind.INFRASTRUCTURE
        : FailureKind.MESSAGE;
  }

  /** Runs work of the store; the exception it throws says what can be done about it. */
  public static <T> T translate(Supplier<T> work) {
    try {
      return work.get();
    } catch (InboxException e) {
      throw e;
    } catch (RuntimeException e) {
      throw translated(e);
    }
  }

  /**
   * Translates an error from the store's own statements. Only an error about data can be a
   * message's fault. Anything else would affect every message: a missing table, a missing
   * privilege, an exceeded limit, and whatever did not come from the database.
   */
  public static RuntimeException translated(Exception failure) {
    return translated(failure, SqlErrors::isAboutData);
  }

  /** Whether the database rejects data of the store's own statements. */
  public static boolean isRefusal(Throwable failure) {
    return of(failure) == FailureKind.MESSAGE && isAboutData(sqlIn(failure));
  }

  private static boolean isAboutData(@Nullable SQLException sql) {
    String state = stateOf(sql);
    return state.equals(RAISED)
        || (isOneOf(DATA_CLASSES, state) && !state.equals(SETTING) && !isAboutAGivenKey(sql));
  }

  private static boolean isAboutAGivenKey(@Nullable SQLException sql) {
    return sql instanceof PSQLException postgres
        && postgres.getServerErrorMessage() != null
        && postgres.getServerErrorMessage().getConstraint() != null
        && GIVEN_KEYS.contains(postgres.getServerErrorMessage().getConstraint());
  }

  /**
   * Translates an error that occurs after handlers have used the transaction. They may have changed
   * the role or the search path, ended the transaction, or deferred work to the commit that fails:
   * whatever is not known to be the database's fault is theirs.
   */
  public static RuntimeException translatedAfterHandlers(Exception failure) {
    SQLException sql = sqlIn(failure);
    return sql != null && ENDED.contains(stateOf(sql))
        ? new TransactionEndedException(PlainSqlException.of(sql))
        : translated(failure, it -> !TOO_SLOW.contains(stateOf(it)));
  }

  private static RuntimeException translated(
      Exception failure, Predicate<@Nullable SQLException> isOfAMessage) {
    SQLException sql = sqlIn(failure);
    Exception cause = sql == null ? failure : PlainSqlException.of(sql);
    String message = because(cause);
    return switch (of(failure)) {
      case INFRASTRUCTURE, CONFLICT, TIMED_OUT ->
          new StoreUnavailableException("the database is not available: " + message, cause);
      case ABORTED -> new AbortedTransactionException(cause);
      case MESSAGE ->
          isOfAMessage.test(sql)
              ? new InboxException("the store failed: " + message, cause)
              : new StoreUnavailableException(
                  "the database is not available: " + message + remedy(stateOf(sql)), cause);
    };
  }

  private static String stateOf(@Nullable SQLException sql) {
    return sql == null || sql.getSQLState() == null ? "" : sql.getSQLState();
  }

  /** A pool only says that there is no connection; the reason is in the cause. */
  private static String because(Exception failure) {
    String message =
        failure instanceof StatementException // quotes the arguments
            ? failure.getClass().getName()
            : String.valueOf(failure.getMessage());
    return failure.getCause() instanceof SQLException cause
        ? "%s: %s".formatted(message, PlainSqlException.of(cause).getMessage())
        : message;
  }

  private static String remedy(String state) {
    return switch (state) {
      case UNDEFINED_TABLE, UNDEFINED_SCHEMA ->
          "; create the tables with JdbiInboxStore.migrate(dataSource), or let Flyway apply "
              + Migrations.LOCATION;
      case FORBIDDEN -> "; give this role the rights that SECURITY.md lists for the service";
      default -> "";
    };
  }

  private static boolean isOneOf(Set<String> classes, String state) {
    return state.length() == 5 && classes.contains(state.substring(0, 2));
  }

  /** Whether a limit of the server was reached, such as that of its notification queue. */
  public static boolean isLimit(Throwable failure) {
    return LIMIT.equals(stateOf(sqlIn(failure)));
  }

  /** Whether the connection reached a read-only server, as after a failover. */
  public static boolean isReadOnly(Throwable failure) {
    SQLException sql = sqlIn(failure);
    return sql != null && READ_ONLY.equals(sql.getSQLState());
  }

  /** Whether the connection is unusable: it is lost, or it reached a read-only server. */
  public static boolean isLoss(Throwable failure) {
    SQLException sql = sqlIn(failure);
    if (sql == null || of(sql) != FailureKind.INFRASTRUCTURE) {
      return false;
    }
    String state = stateOf(sql);
    return state.isEmpty() || INFRASTRUCTURE_STATES.contains(state) || state.startsWith("08");
  }

  private static @Nullable SQLException sqlIn(Throwable failure) {
    int depth = 0;
    for (Throwable t = failure; t != null && depth < 100; t = t.getCause(), depth++) {
      if (t instanceof SQLException sql) {
        return sql;
      }
    }
    return null;
  }
}
