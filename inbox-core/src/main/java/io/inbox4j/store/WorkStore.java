package io.inbox4j.store;

import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Begins the transactions of workers, classifies failures, and wakes workers.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface WorkStore {

  /** Begins a transaction for a worker of the endpoint. */
  WorkTransaction begin(String endpoint);

  /** Classifies a failure of a handler or of a method of this store. */
  FailureKind failureKind(Throwable failure);

  /**
   * The identifiers in an exception of the database driver, for the log: its SQLSTATE, the table,
   * the constraint. The database's error text may quote rows and arguments, so it must not be
   * included. Causes are passed one by one. Defaults to an empty string.
   */
  default String namesIn(Throwable failure) {
    return "";
  }

  /**
   * Calls back with the name of an endpoint after messages were stored for it, by this store or by
   * another process, until the returned handle is closed. There may be spurious calls, and calls
   * for other processes may never come.
   *
   * @param missed called when notifications may have been missed
   */
  Watch watch(Consumer<String> stored, Runnable missed);

  /**
   * Of these endpoints those at which a message may be due, in a single query that is cheap however
   * much is there. It may name others; it misses none at which a message is due.
   */
  default Set<String> dueAt(Collection<String> endpoints) {
    return Set.copyOf(endpoints);
  }

  /** Ends a {@link #watch}. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
