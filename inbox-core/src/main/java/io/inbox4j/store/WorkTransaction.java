package io.inbox4j.store;

import io.inbox4j.handler.EventTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A transaction in which messages are claimed, handled and given their outcomes.
 *
 * <p>Used by one thread. Closing it without {@link #commit} undoes everything and frees the
 * messages. Every method throws {@link StoreUnavailableException} when the database is to blame.
 */
public interface WorkTransaction extends EventTransaction, AutoCloseable {

  /**
   * Claims up to {@code limit} messages without an ordering key that are due, of these types, in
   * the order they are due. Others cannot claim them until the transaction ends.
   */
  List<ClaimedMessage> claim(Set<String> types, int limit);

  /**
   * Claims up to {@code limit} messages with an ordering key, in arrival order. Of every key it
   * claims the first messages there are, up to one that is not due, not of these types or a orphan;
   * others cannot claim any message of these keys until the transaction ends.
   */
  List<ClaimedMessage> claimOrdered(Set<String> types, int limit);

  /**
   * Claims like {@link #claimOrdered}, but of every key its first message only, for handlers that
   * run outside the transaction.
   */
  List<ClaimedMessage> claimFirstOfKeys(Set<String> types, int limit);

  /**
   * Stores a batch in this order: events once, the rest in the quarantine.
   *
   * @return what became of each, in the same order
   */
  List<StoreResult> receive(List<ValidatedDelivery> batch);

  /**
   * Claims what this transaction has received, in arrival order: what is due, of these types, not
   * redelivered, and does not have to wait behind an earlier message of its key.
   */
  List<ClaimedMessage> claimReceived(Set<String> types);

  /**
   * Leases claimed messages for the given time. If that time passes without a renewal they are due
   * again, and orphans. That orphans are about to be handled is noted.
   *
   * @return a lease for each, in the same order
   */
  List<Lease> lease(List<ClaimedMessage> messages, Duration time);

  /** Claims the messages of those leases that still hold, and returns these. */
  Set<Lease> claimLeased(Collection<Lease> leases);

  /** Which of these leases hold, also those whose messages somebody works on right now. */
  Set<Lease> held(Collection<Lease> leases);

  /**
   * Claims these messages to handle them: those that are due and not in another hand, and nor is
   * any other message of their key. Others cannot claim any message of these keys until the
   * transaction ends.
   */
  List<ClaimedMessage> claimDue(List<Long> sequences);

  /**
   * Claims messages that were noted before to handle them, due or not, but for those in another
   * hand, and those of whose key any message is. Others cannot claim any message of these keys
   * until the transaction ends.
   */
  List<ClaimedMessage> claimAtRisk(List<Long> sequences);

  /**
   * Claims messages that were noted before to give them an outcome without handling them, due or
   * not, but for those in another hand.
   */
  List<ClaimedMessage> reclaim(List<Long> sequences);

  /**
   * Notes that claimed orphans are about to be handled, and holds them back from others for the
   * given time. If this worker dies over them the note stays, and they run alone from then on.
   */
  void markCrashRisk(List<Long> sequences, Duration holdBack);

  /**
   * Takes notes back because these messages, as they were noted, could not be claimed: they are due
   * again, and orphans as before. Those that are in another hand are left to it.
   */
  void restoreUnclaimed(List<ClaimedMessage> atRisk);

  /** Takes notes back: these messages were not handled after all, and are due again. */
  void clearCrashRisk(List<Long> sequences);

  /**
   * Sets a mark that {@link #undo} goes back to. There is one at a time.
   *
   * <p>From here on handlers have the transaction. This and every later method throw {@link
   * TransactionEndedException} if it turns out that one of them has ended it.
   */
  void mark();

  /**
   * Whether a handler has ended the transaction since the mark, as far as that is known without
   * asking the database.
   */
  boolean isEnded();

  /**
   * Whether a statement has shown that nothing can be done in it any more: its connection is gone,
   * or it cannot write.
   */
  boolean isLost();

  /** Checks now what the database checks at the commit otherwise, and throws what that throws. */
  void check();

  /**
   * Keeps what was done since the mark.
   *
   * @throws AbortedTransactionException if a statement had failed since the mark and its error was
   *     swallowed, so that there is nothing to keep
   */
  void keep();

  /** Undoes what was done since the mark, in the database only; claims stay. */
  void undo();

  /**
   * Gives every message its outcome, as the last statements, and commits.
   *
   * @throws AbortedTransactionException if the database had already given up on the transaction
   */
  void commit(List<Outcome> outcomes);

  @Override
  void close();
}
