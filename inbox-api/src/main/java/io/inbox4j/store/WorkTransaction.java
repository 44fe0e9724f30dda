package io.inbox4j.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A transaction in which messages are claimed, handled and given their outcomes.
 *
 * <p>Used by one thread. Closing it without {@link #commit} undoes everything and frees the
 * messages. Every method throws {@link StoreUnavailableException} when the database is to blame.
 */
public interface WorkTransaction extends AutoCloseable {

  /**
   * Claims up to {@code limit} messages that are due, of these types, in the order they are due.
   * Others cannot claim them until the transaction ends.
   */
  List<StoredMessage> claim(Set<String> types, int limit);

  /** Claims one message, due or not; empty if it is gone or in another hand. */
  Optional<StoredMessage> claim(long sequence);

  /** The transaction as a type of the store, for handlers. */
  <T> T unwrap(Class<T> type);

  /** Sets a mark that {@link #undo} goes back to. There is one at a time. */
  void mark();

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
