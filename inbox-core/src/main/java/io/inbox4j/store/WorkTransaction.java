package io.inbox4j.store;

import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A transaction in which messages are claimed, handled and given their outcomes.
 *
 * <p>Used by one thread. Closing it without {@link #commit} rolls everything back and releases the
 * claims. Every method throws {@link StoreUnavailableException} when the database is to blame.
 */
public interface WorkTransaction extends AutoCloseable {

  /**
   * Claims up to {@code limit} due messages of these types, roughly in arrival order. No one else
   * can claim them until the transaction ends.
   *
   * <p>Of messages with an ordering key it claims the first ones of a key, in arrival order, up to
   * one that is not due, not of these types, or orphaned; no one else can claim any message of
   * these keys until the transaction ends.
   *
   * <p>It may move messages that cannot be claimed yet out of the way, which lasts if the
   * transaction is committed.
   */
  List<ClaimedMessage> claim(Set<String> types, int limit);

  /**
   * Claims like {@link #claim}, but only the first message of every key, for handlers that run
   * outside the transaction.
   */
  List<ClaimedMessage> claimFirstOfKeys(Set<String> types, int limit);

  /**
   * Whether there may be more messages that this or another worker could claim now, as far as the
   * claims of this transaction have shown.
   */
  boolean mayHaveMore();

  /**
   * Stores a batch in this order: events once, the rest in the quarantine.
   *
   * @return the result of each, in the same order
   */
  List<StoreResult> receive(List<ValidatedDelivery> batch);

  /**
   * Claims messages that this transaction has stored, in arrival order: those that are due, of
   * these types, not redelivered, and not waiting for an earlier message of their key.
   */
  List<ClaimedMessage> claimReceived(Set<String> types);

  /**
   * Leases claimed messages for the given time. If a lease expires without a renewal, its message
   * is due again, and orphaned. Orphaned messages are marked as a crash risk.
   *
   * @return a lease for each, in the same order
   */
  List<Lease> lease(List<ClaimedMessage> messages, Duration time);

  /** Claims the messages of the leases that still hold, and returns these leases. */
  Set<Lease> claimLeased(Collection<Lease> leases);

  /** Returns the leases that still hold, including those whose messages are locked right now. */
  Set<Lease> held(Collection<Lease> leases);

  /**
   * Claims these messages to handle them: those that are due, if neither they nor any other message
   * of their key is claimed by another worker. No one else can claim any message of these keys
   * until the transaction ends.
   */
  List<ClaimedMessage> claimDue(List<Long> sequences);

  /**
   * Claims messages that were marked as a crash risk before, to handle them, due or not, except
   * where they or any other message of their key are claimed by another worker. No one else can
   * claim any message of these keys until the transaction ends.
   */
  List<ClaimedMessage> claimAtRisk(List<Long> sequences);

  /**
   * Claims messages that were marked as a crash risk before, to give them an outcome without
   * handling them, due or not, except those claimed by another worker.
   */
  List<ClaimedMessage> reclaim(List<Long> sequences);

  /**
   * Marks claimed orphaned messages that are about to be handled as a crash risk, and hides them
   * from other workers for the given time. If this worker dies while handling them, the mark stays
   * and they run alone from then on.
   */
  void markCrashRisk(List<Long> sequences, Duration holdBack);

  /**
   * Clears the crash-risk marks of messages that could not be claimed after they were marked: they
   * are due again, and orphaned as before. Those claimed by another worker are left unchanged.
   */
  void restoreUnclaimed(List<ClaimedMessage> atRisk);

  /**
   * Clears the crash-risk marks of messages that were not handled after all: they are due again.
   */
  void clearCrashRisk(List<Long> sequences);

  /**
   * The transaction as a type of the store, for a handler.
   *
   * @throws IllegalArgumentException if the store does not support this type; the message lists
   *     those it does
   */
  <T> T unwrap(Class<T> type);

  /**
   * Executes what handlers have handed over, in this order and all of it or, if it throws, an
   * unknown part. It is theirs: it is subject to the same guards as what they do themselves, {@link
   * WorkStore#failureKind} classifies the failure like one of theirs, and the transaction has to be
   * rolled back to its savepoint.
   */
  void write(List<Write> writes);

  /**
   * Sets the savepoint that {@link #rollbackToSavepoint} rolls back to. There is one at a time.
   *
   * <p>From here on handlers use the transaction. This and every later method throw {@link
   * TransactionEndedException} if it turns out that a handler has ended it.
   */
  void savepoint();

  /** How long handlers have waited for the database in this transaction, as far as is known. */
  default Duration databaseTime() {
    return Duration.ZERO;
  }

  /**
   * Whether a handler has ended the transaction since the savepoint, as far as that is known
   * without a round trip to the database.
   */
  boolean isEnded();

  /**
   * Whether a statement has shown that the transaction is unusable: its connection is lost, or it
   * cannot write.
   */
  boolean isLost();

  /** Checks the deferred constraints now instead of at the commit, and throws what that throws. */
  void check();

  /**
   * Releases the savepoint and keeps what was done since.
   *
   * @throws AbortedTransactionException if a statement has failed since the savepoint and its error
   *     was swallowed, so that there is nothing to keep
   */
  void releaseSavepoint();

  /** Rolls back to the savepoint, in the database only; claims stay. */
  void rollbackToSavepoint();

  /**
   * Stores messages that are to be sent if this transaction commits, in this order. Usually called
   * once, just before {@link #commit}, for everything that handlers have published; earlier for a
   * part of it, which is then undone with the savepoint, if there is a lot.
   */
  void publish(List<StoredOutgoing> messages);

  /**
   * Writes the outcome of every message, as the last statements, and commits.
   *
   * @throws AbortedTransactionException if the database had already aborted the transaction
   */
  void commit(List<Outcome> outcomes);

  @Override
  void close();
}
