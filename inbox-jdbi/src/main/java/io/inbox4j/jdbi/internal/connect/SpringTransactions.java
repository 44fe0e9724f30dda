package io.inbox4j.jdbi.internal.connect;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Asks Spring, if present, whether the calling thread is in a transaction. A transaction in which
 * nothing was executed yet cannot be detected on its connection.
 */
final class SpringTransactions {

  private static final String MANAGER =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  private final @Nullable Method isActive;

  private SpringTransactions(@Nullable Method isActive) {
    this.isActive = isActive;
  }

  static SpringTransactions knownTo(Object origin) {
    try {
      ClassLoader loader = origin.getClass().getClassLoader();
      return new SpringTransactions(
          Class.forName(MANAGER, false, loader).getMethod("isActualTransactionActive"));
    } catch (ReflectiveOperationException | LinkageError e) {
      return new SpringTransactions(null);
    }
  }

  boolean isActive() {
    try {
      return isActive != null && (boolean) isActive.invoke(null);
    } catch (ReflectiveOperationException | LinkageError e) {
      return false;
    }
  }
}
