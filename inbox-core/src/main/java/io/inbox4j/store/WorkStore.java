package io.inbox4j.store;

import java.util.function.Consumer;

/**
 * Hands messages to workers, and wakes them.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface WorkStore {

  /** Begins a transaction for a worker of the endpoint. */
  WorkTransaction begin(String endpoint);

  /** Whose fault it is that a handler, or a method of this store, failed like this. */
  FailureKind failureKind(Throwable failure);

  /**
   * What is known of an exception of the database's driver by name, for the log: its SQLSTATE, the
   * table, the constraint. What the database says may quote rows and arguments, so this must not.
   * Its causes are asked for one by one. Defaults to nothing.
   */
  default String namesIn(Throwable failure) {
    return "";
  }

  /**
   * Calls back with the name of an endpoint after messages were stored for it, by this store or by
   * another process, until the returned handle is closed. It may call too often, and of other
   * processes it may never hear.
   *
   * @param missed called when calls may have been missed
   */
  Watch watch(Consumer<String> stored, Runnable missed);

  /** Ends a {@link #watch}. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
