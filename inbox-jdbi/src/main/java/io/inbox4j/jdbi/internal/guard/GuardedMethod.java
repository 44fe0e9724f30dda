package io.inbox4j.jdbi.internal.guard;

import java.lang.reflect.Method;
import java.sql.Array;
import java.sql.Connection;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** What a guard has to check when a JDBC method is called. */
enum GuardedMethod {
  /** Nothing: reading a column value, for example. */
  PLAIN,
  /** The return value, which may lead to a connection, or arrays passed as arguments. */
  LEADING_ON,
  TAKING_SQL,
  ENDING_TRANSACTION,
  /** Changes to the driver's connection, or made through the driver where they are not visible. */
  CHANGING_CONNECTION,
  /** Changes to the server session. */
  CHANGING_SESSION,
  UNWRAP,
  IS_WRAPPER_FOR,
  COPY_API,
  LARGE_OBJECT_API,
  EQUALS,
  HASH_CODE;

  private static final Map<Method, GuardedMethod> KNOWN = new ConcurrentHashMap<>();

  private static final Set<String> WITH_SQL =
      Set.of(
          "addBatch",
          "execute",
          "executeLargeUpdate",
          "executeQuery",
          "executeUpdate",
          "prepareCall",
          "prepareStatement");

  private static final Set<String> OF_SESSION = Set.of("setClientInfo", "setSchema");

  private static final Set<String> OF_TRANSACTION =
      Set.of("abort", "close", "commit", "rollback", "setAutoCommit", "setSavepoint");

  /** Called for every value of every row, so the result is cached. */
  static GuardedMethod of(Method method) {
    GuardedMethod known = KNOWN.get(method);
    if (known == null) {
      known = find(method);
      KNOWN.put(method, known);
    }
    return known;
  }

  private static GuardedMethod find(Method method) {
    return switch (method.getName()) {
      case "equals" -> EQUALS;
      case "hashCode" -> HASH_CODE;
      case "unwrap" -> UNWRAP;
      case "isWrapperFor" -> IS_WRAPPER_FOR;
      case "getCopyAPI" -> COPY_API;
      case "getLargeObjectAPI" -> LARGE_OBJECT_API;
      default -> takesSql(method) ? TAKING_SQL : findByClass(method);
    };
  }

  private static boolean takesSql(Method method) {
    return WITH_SQL.contains(method.getName())
        && method.getParameterCount() > 0
        && method.getParameterTypes()[0] == String.class;
  }

  private static GuardedMethod findByClass(Method method) {
    Class<?> owner = method.getDeclaringClass();
    if (owner == Connection.class && OF_TRANSACTION.contains(method.getName())) {
      return ENDING_TRANSACTION;
    }
    if ((owner == Connection.class || owner == PGConnection.class)
        && (method.getName().startsWith("set") || method.getName().equals("getFastpathAPI"))) {
      return OF_SESSION.contains(method.getName()) ? CHANGING_SESSION : CHANGING_CONNECTION;
    }
    Class<?> result = method.getReturnType();
    return (result.isPrimitive() || result == String.class)
            && Arrays.stream(method.getParameterTypes())
                .noneMatch(type -> type.isAssignableFrom(Array.class))
        ? PLAIN
        : LEADING_ON;
  }

  /**
   * Whether calling this method on a connection would end its transaction or a savepoint of the
   * inbox.
   */
  static boolean endsTransaction(Method method, @Nullable Object argument) {
    return switch (method.getName()) {
      case "rollback" -> argument == null;
      case "setAutoCommit" -> Boolean.TRUE.equals(argument);
      case "setSavepoint" -> argument instanceof String name && HandlerSql.isReserved(name);
      default -> true;
    };
  }
}
