package io.inbox4j.jdbi.internal.guard;

import io.inbox4j.jdbi.internal.guard.HandlerSql.Trace;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.copy.CopyDual;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;
import org.postgresql.largeobject.LargeObject;
import org.postgresql.largeobject.LargeObjectManager;

/**
 * Wraps the connection for a handler, which can do everything except end the inbox's transaction.
 *
 * <p>Every object that the handler gets from it and that refers to a connection refers to the
 * guarded one, and SQL that would end the transaction is rejected.
 */
public final class TransactionGuard {

  private final Connection connection;
  private final HandlerSql.Known sql;
  private final Connection guarded;
  private final boolean sharesSession;
  private volatile Trace trace = Trace.NONE;
  private volatile String restoring = "";
  private volatile long databaseNanos;

  /**
   * @param sql the cache of analysed handler SQL
   * @param sharesSession whether the session goes to somebody else as soon as the transaction has
   *     ended
   */
  TransactionGuard(Connection connection, HandlerSql.Known sql, boolean sharesSession) {
    this.connection = connection;
    this.sql = sql;
    this.sharesSession = sharesSession;
    this.guarded = proxy(Connection.class, connection);
  }

  /** The connection to give to handlers. */
  public Connection guarded() {
    return guarded;
  }

  /**
   * Prepares a statement that handlers have handed over: with the same checks as if they executed
   * it, and without a guard around what comes of it, because they do not get it.
   */
  public PreparedStatement prepare(String text) throws SQLException {
    check(text);
    return connection.prepareStatement(text);
  }

  /** What handlers have left behind in the session so far. */
  public Trace trace() {
    return trace;
  }

  /** How long handlers have waited for their statements. */
  public Duration databaseTime() {
    return Duration.ofNanos(databaseNanos);
  }

  /**
   * The SQL that restores the role and the search path from before the handlers ran, terminated by
   * a semicolon; empty if the handlers did not change them.
   */
  public String restoring() {
    return restoring;
  }

  /** Counts time for which a statement of a handler was waited for. */
  public synchronized void waited(long nanos) {
    databaseNanos += nanos;
  }

  private <T> T proxy(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            TransactionGuard.class.getClassLoader(), new Class<?>[] {type}, new Guard(target)));
  }

  /** Wraps an object that may lead to the connection before the handler gets it. */
  private @Nullable Object guarded(@Nullable Object value) {
    if (value instanceof Connection) {
      return guarded;
    }
    if (value instanceof CallableStatement) {
      return proxy(CallableStatement.class, value);
    }
    if (value instanceof PreparedStatement) {
      return proxy(PreparedStatement.class, value);
    }
    if (value instanceof Statement) {
      return proxy(Statement.class, value);
    }
    if (value instanceof ResultSet) {
      return proxy(ResultSet.class, value);
    }
    if (value instanceof Array) {
      return proxy(Array.class, value);
    }
    return value instanceof DatabaseMetaData ? proxy(DatabaseMetaData.class, value) : value;
  }

  private void check(String text) throws SQLException {
    HandlerSql known = sql.of(text);
    if (known.ending() != null) {
      throw refused(known.ending());
    }
    leave(known.trace());
    if (known.identity()) {
      rememberIdentity();
    }
  }

  /**
   * State left in a shared session cannot be cleaned up: by then somebody else may have the
   * session.
   */
  private void leave(Trace left) throws SQLException {
    if (sharesSession && left.compareTo(Trace.UNSEEN) > 0) {
      throw new SQLException(
          "a handler would leave something in its session, and the pooler gives that to others; use"
              + " SET LOCAL or set_config(…, true) for settings and the role, ON COMMIT DROP for"
              + " temporary tables, pg_advisory_xact_lock for locks, and no LISTEN, PREPARE or"
              + " cursor WITH HOLD");
    }
    trace = trace.and(left);
  }

  private void rememberIdentity() throws SQLException {
    if (restoring.isEmpty()) {
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(SessionSql.READ_IDENTITY)) {
        row.next();
        restoring = row.getString(1);
      }
    }
  }

  private static SQLException refused(String what) {
    return new SQLException(
        "%s was called by a handler; the inbox begins and ends the transaction, throw to undo it"
            .formatted(what));
  }

  /** The proxy handler around an object that refers to a connection. */
  private final class Guard implements InvocationHandler {

    private final Object target;

    Guard(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      Object first = arguments == null || arguments.length == 0 ? null : arguments[0];
      switch (GuardedMethod.of(method)) {
        case PLAIN -> {
          return call(method, arguments);
        }
        case EQUALS -> {
          return proxy == first;
        }
        case HASH_CODE -> {
          return System.identityHashCode(proxy);
        }
        case UNWRAP -> {
          return unwrap(proxy, (Class<?>) Objects.requireNonNull(first));
        }
        case IS_WRAPPER_FOR -> {
          return isWrapperFor(proxy, (Class<?>) Objects.requireNonNull(first));
        }
        case COPY_API -> {
          return new GuardedCopies(connection.unwrap(BaseConnection.class));
        }
        case LARGE_OBJECT_API -> {
          return new GuardedLargeObjects(connection.unwrap(BaseConnection.class));
        }
        case ENDING_TRANSACTION -> {
          if (GuardedMethod.endsTransaction(method, first)) {
            throw refused(method.getName() + "()");
          }
        }
        case CHANGING_CONNECTION -> trace = Trace.SETTINGS;
        case CHANGING_SESSION -> {
          leave(Trace.SETTINGS);
          rememberIdentity();
        }
        case TAKING_SQL -> check(String.valueOf(first));
        case LEADING_ON -> unguard(arguments);
      }
      return guarded(call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
      boolean waits = method.getName().startsWith("execute");
      long begin = waits ? System.nanoTime() : 0;
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      } finally {
        if (waits) {
          waited(System.nanoTime() - begin);
        }
      }
    }

    /** Frameworks ask before they unwrap, so this must not promise what {@link #unwrap} refuses. */
    private boolean isWrapperFor(Object proxy, Class<?> type) throws SQLException {
      return type.isInstance(proxy) || (isHarmless(type) && ((Wrapper) target).isWrapperFor(type));
    }

    private Object unwrap(Object proxy, Class<?> type) throws SQLException {
      if (type.isInstance(proxy)) {
        return proxy;
      }
      if (isHarmless(type)) {
        return proxy(type, ((Wrapper) target).unwrap(type));
      }
      throw new SQLException(
          "unwrap(%s) was called by a handler, and might lead past the inbox's guard of the"
                  .formatted(type.getName())
              + " transaction; expected %s, which has COPY, or %s"
                  .formatted(PGConnection.class.getName(), PGStatement.class.getName()));
    }

    private boolean isHarmless(Class<?> type) {
      return (type == PGConnection.class && target instanceof Connection)
          || (type == PGStatement.class && target instanceof Statement);
    }
  }

  /** The driver only accepts its own arrays, not proxies of them. */
  private static void unguard(Object @Nullable [] arguments) {
    for (int i = 0; arguments != null && i < arguments.length; i++) {
      if (arguments[i] instanceof Array
          && Proxy.isProxyClass(arguments[i].getClass())
          && Proxy.getInvocationHandler(arguments[i]) instanceof Guard guard) {
        arguments[i] = guard.target;
      }
    }
  }

  /** Checks COPY statements, which the driver executes as they are. */
  private final class GuardedCopies extends CopyManager {

    GuardedCopies(BaseConnection connection) throws SQLException {
      super(connection);
    }

    @Override
    public CopyIn copyIn(String text) throws SQLException {
      check(text);
      return super.copyIn(text);
    }

    @Override
    public CopyOut copyOut(String text) throws SQLException {
      check(text);
      return super.copyOut(text);
    }

    @Override
    public CopyDual copyDual(String text) throws SQLException {
      check(text);
      return super.copyDual(text);
    }
  }

  /**
   * Rejects large objects opened with {@code commitOnClose}: closing one would end the transaction.
   */
  private static final class GuardedLargeObjects extends LargeObjectManager {

    GuardedLargeObjects(BaseConnection connection) throws SQLException {
      super(connection);
    }

    @Override
    public LargeObject open(long oid, int mode, boolean commitOnClose) throws SQLException {
      if (commitOnClose) {
        throw refused("open() of a large object with commitOnClose");
      }
      return super.open(oid, mode, false);
    }
  }
}
