package io.inbox4j.memory;

import io.inbox4j.store.StoredOutgoing;
import java.util.List;

/**
 * The transaction of a handler on an {@link InMemoryInboxStore}: what {@code
 * context.unwrap(InMemoryTransaction.class)} returns.
 *
 * <p>A test records effects in it, which are committed, or undone, with the outcome of the message.
 * The other methods let it fail in the ways in which a database's transaction can.
 */
public final class InMemoryTransaction {

  private final MemoryWorkTransaction transaction;

  InMemoryTransaction(MemoryWorkTransaction transaction) {
    this.transaction = transaction;
  }

  /** Has an effect, which is visible in {@link InMemoryInboxStore#effects} once it is committed. */
  public void record(String effect) {
    transaction.record(effect);
  }

  void publish(List<StoredOutgoing> messages) {
    transaction.publish(messages);
  }

  /**
   * Aborts the transaction, as a failed statement does: nothing can be done in it any more until it
   * is rolled back to its savepoint.
   */
  public void abort() {
    transaction.abort();
  }

  /** Lets the check of deferred constraints fail, which happens at the commit at the latest. */
  public void failAtCommit(RuntimeException failure) {
    transaction.failAtCommit(failure);
  }

  /** Commits what was done, as a handler can that gets past the guards of its store. */
  public void end() {
    transaction.end();
  }

  /** Rolls everything back, as the server does when it loses the connection. */
  public void lose() {
    transaction.lose();
  }
}
