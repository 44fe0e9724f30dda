package io.inbox4j.jdbi;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** A way past the guard of a handler's connection, as a library with reflection might find one. */
final class BackDoor {

  private BackDoor() {}

  /** The connection that the guard is around. */
  static Connection behind(Connection guarded) throws IllegalAccessException {
    InvocationHandler guard = Proxy.getInvocationHandler(guarded);
    for (Field field : guard.getClass().getDeclaredFields()) {
      field.setAccessible(true);
      if (field.get(guard) instanceof Connection connection && connection != guarded) {
        return connection;
      }
    }
    throw new AssertionError("there is no connection in " + guard);
  }
}
