package io.inbox4j.store;

/**
 * The port to a database, by role: receiving, working, recovering, leasing, operating, status and
 * retention. Thread-safe.
 *
 * <p>Every method throws {@link StoreUnavailableException} for faults that pass. Time is the
 * database's.
 */
public interface InboxStore
    extends ReceivingStore,
        WorkStore,
        RecoveryStore,
        LeaseStore,
        StatusStore,
        OperatorStore,
        RetentionStore,
        AutoCloseable {

  /**
   * Makes the tables ready: creates or upgrades them, or only checks them, as the store was told.
   *
   * @throws io.inbox4j.error.InboxException if they are missing or of another version; the message
   *     says what creates them
   */
  void open();

  @Override
  void close();
}
