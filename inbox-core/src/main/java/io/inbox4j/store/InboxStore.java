package io.inbox4j.store;

/**
 * The port to a database, split by role: receiving, processing, recovery, leases, operators,
 * history, status, processes, retention and the outbox. Thread-safe.
 *
 * <p>Every method throws {@link StoreUnavailableException} for transient failures. All times are
 * the database's.
 */
public interface InboxStore
    extends ReceivingStore,
        WorkStore,
        RecoveryStore,
        LeaseStore,
        StatusStore,
        OperatorStore,
        HistoryStore,
        ProcessRegistryStore,
        RetentionStore,
        OutboxStore,
        AutoCloseable {

  /**
   * Prepares the tables: creates or upgrades them, or only checks them, as configured.
   *
   * @throws io.inbox4j.error.InboxException if they are missing or of a different version; the
   *     message says how to create them
   */
  void open();

  /** Closes the store. An {@link #open} that waits ends soon, by throwing. */
  @Override
  void close();
}
