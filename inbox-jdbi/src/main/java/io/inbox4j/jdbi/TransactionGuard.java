package io.inbox4j.jdbi;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The connection as a handler sees it: it can do everything but end the inbox's transaction. */
final class TransactionGuard implements InvocationHandler {

  private final Connection connection;

  private TransactionGuard(Connection connection) {
    this.connection = connection;
  }

  static Connection around(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            TransactionGuard.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new TransactionGuard(connection));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (endsTransaction(method, arguments)) {
      throw new SQLException(
          "%s() was called by a handler; the inbox begins and ends the transaction, throw to undo it"
              .formatted(method.getName()));
    }
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static boolean endsTransaction(Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "commit", "close", "abort" -> true;
      case "rollback" -> arguments == null || arguments.length == 0;
      case "setAutoCommit" -> arguments != null && Boolean.TRUE.equals(arguments[0]);
      default -> false;
    };
  }
}
