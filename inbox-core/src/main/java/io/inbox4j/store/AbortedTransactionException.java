package io.inbox4j.store;

import io.inbox4j.error.InboxException;

/**
 * Thrown when a statement failed and its error was swallowed, so the database aborted the
 * transaction.
 */
public class AbortedTransactionException extends InboxException {

  public AbortedTransactionException(Throwable cause) {
    super(
        "an SQL error was swallowed by the handler: the database has undone what it did; let the"
            + " error out, or use a savepoint around the statement that may fail",
        cause);
  }
}
