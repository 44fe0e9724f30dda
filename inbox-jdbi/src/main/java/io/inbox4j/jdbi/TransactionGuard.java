package io.inbox4j.jdbi;

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
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.copy.CopyDual;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;

/**
 * The connection as a handler sees it: it can do everything but end the inbox's transaction.
 *
 * <p>Whatever the handler gets from it that knows a connection knows this one, and no SQL gets
 * through that would end the transaction.
 */
final class TransactionGuard {

  private static final Set<String> TAKING_SQL =
      Set.of(
          "addBatch",
          "execute",
          "executeLargeUpdate",
          "executeQuery",
          "executeUpdate",
          "prepareCall",
          "prepareStatement");

  private final Connection connection;
  private final HandlerSql sql;
  private final Connection guarded;

  private TransactionGuard(Connection connection, HandlerSql sql) {
    this.connection = connection;
    this.sql = sql;
    this.guarded = proxy(Connection.class, connection);
  }

  static Connection around(Connection connection, HandlerSql sql) {
    return new TransactionGuard(connection, sql).guarded;
  }

  private <T> T proxy(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            TransactionGuard.class.getClassLoader(), new Class<?>[] {type}, new Guard(target)));
  }

  /** What the handler gets instead of something that may lead to the connection. */
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
    String ending = sql.endOfTransaction(text);
    if (ending != null) {
      throw refused(ending);
    }
  }

  private static SQLException refused(String what) {
    return new SQLException(
        "%s was called by a handler; the inbox begins and ends the transaction, throw to undo it"
            .formatted(what));
  }

  /** Around one of the objects that know a connection. */
  private final class Guard implements InvocationHandler {

    private final Object target;

    Guard(Object target) {
      this.target = target;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      String name = method.getName();
      Object first = arguments == null ? null : arguments[0];
      switch (name) {
        case "equals" -> {
          return proxy == first;
        }
        case "hashCode" -> {
          return System.identityHashCode(proxy);
        }
        case "unwrap" -> {
          return unwrap(proxy, (Class<?>) first);
        }
        case "isWrapperFor" -> {
          return isWrapperFor(proxy, (Class<?>) first);
        }
        case "getCopyAPI" -> {
          return new GuardedCopies(connection.unwrap(BaseConnection.class));
        }
        default -> {}
      }
      if (target == connection && endsTransaction(name, first)) {
        throw refused(name + "()");
      }
      if (first instanceof String text && TAKING_SQL.contains(name)) {
        check(text);
      }
      return guarded(call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
      if (arguments != null) {
        for (int i = 0; i < arguments.length; i++) {
          if (arguments[i] instanceof Array array) {
            arguments[i] = driversOwn(array);
          }
        }
      }
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    /** What cannot be had must not be promised: frameworks ask first. */
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

  private static boolean endsTransaction(String method, @Nullable Object argument) {
    return switch (method) {
      case "commit", "close", "abort" -> true;
      case "rollback" -> argument == null;
      case "setAutoCommit" -> Boolean.TRUE.equals(argument);
      case "setSavepoint" -> argument instanceof String name && HandlerSql.isReserved(name);
      default -> false;
    };
  }

  /** The driver sends its own arrays in its own way. */
  private static Array driversOwn(Array array) {
    return Proxy.isProxyClass(array.getClass())
            && Proxy.getInvocationHandler(array) instanceof Guard guard
        ? (Array) guard.target
        : array;
  }

  /** COPY: what it is given is executed as it is. */
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
}
