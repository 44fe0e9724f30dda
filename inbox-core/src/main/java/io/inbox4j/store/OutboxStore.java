package io.inbox4j.store;

import io.inbox4j.operations.OutboxStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Keeps outgoing messages until the broker has confirmed them. Those published in a transaction are
 * there if it commits.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures. {@link WorkTransaction#publish} stores what handlers publish.
 */
public interface OutboxStore {

  /**
   * Stores messages in a transaction of the caller, who commits it.
   *
   * <p>Until it ends, others that publish messages with the same ordering keys wait for it. So
   * transactions that publish several times can deadlock, as with all locks, if they do not do it
   * in the same order of keys; in one call the order does not matter.
   *
   * @param transaction the transaction as a type of the store: with the JDBI store {@code
   *     org.jdbi.v3.core.Handle} or {@code java.sql.Connection}
   * @throws IllegalArgumentException if it is of another type
   * @throws IllegalStateException if it is in no transaction, so that a failure of the caller would
   *     not undo it
   */
  void publish(Object transaction, List<StoredOutgoing> messages);

  /** Stores messages in a transaction of its own. */
  void publish(List<StoredOutgoing> messages);

  /**
   * Removes a message that is not due yet.
   *
   * @return whether there was one
   */
  boolean cancelScheduled(UUID messageId);

  /**
   * Changes when a message is due that is not due yet.
   *
   * @return whether there was one
   */
  boolean reschedule(UUID messageId, Instant sendAt);

  /**
   * Makes a process the one that sends, or lets it stay that one, for the given time.
   *
   * @return whether it is
   */
  boolean leadRelay(UUID relay, Duration time);

  /** Lets another process send, if this one did. */
  void resignRelay(UUID relay);

  /**
   * Opens a reader of what is to be sent. It does not matter to the store how many there are; only
   * the process that leads uses one.
   */
  OutboxReader openOutbox();

  /** How much is waiting, and for how long. */
  OutboxStatus outboxStatus();

  /**
   * Calls back after messages were stored to be sent, by this store or by another process, until
   * the returned handle is closed. There may be spurious calls, and calls may never come.
   */
  WorkStore.Watch watchOutbox(Runnable stored);
}
