package io.inbox4j.store;

import io.inbox4j.error.InboxException;

/**
 * Thrown when a handler bypassed the guard and ended the transaction that the inbox had begun. What
 * was done before that may be committed although no message has an outcome.
 */
public class TransactionEndedException extends InboxException {

  private static final String WHAT_HAPPENED =
      "the handler ended the inbox's transaction, by a COMMIT, a ROLLBACK or the like on the"
          + " connection underneath: what it did may be committed, and is done again with every"
          + " attempt; let the inbox end the transaction, or use a connection of your own";

  public TransactionEndedException() {
    super(WHAT_HAPPENED);
  }

  /**
   * @param cause the failure that revealed it
   */
  public TransactionEndedException(Throwable cause) {
    super(WHAT_HAPPENED, cause);
  }
}
