package io.inbox4j;

import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.store.OperatorStore;
import java.util.List;
import java.util.function.Consumer;

/**
 * What operators act on, who learns of it, and the name under which it is recorded.
 *
 * @param wake called with an endpoint that has work again
 */
record Operator(OperatorStore store, SafeListener listener, Consumer<String> wake, String name) {

  private static final int MAX_LENGTH = 255;

  Operator {
    if (name.isBlank() || name.length() > MAX_LENGTH || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "'%s' cannot be recorded as who did it; expected 1 to %d characters that are not blank"
              .formatted(name, MAX_LENGTH));
    }
  }

  /** With the name of the operating system user. */
  Operator(OperatorStore store, SafeListener listener, Consumer<String> wake) {
    this(store, listener, wake, systemUser());
  }

  private static String systemUser() {
    String user = System.getProperty("user.name", "");
    return user.isBlank() ? "unknown" : user;
  }

  /** An operator of a store without an inbox. */
  static Operator of(OperatorStore store) {
    return new Operator(store, new SafeListener(List.of()), endpoint -> {});
  }

  Operator as(String other) {
    return new Operator(store, listener, wake, other);
  }
}
