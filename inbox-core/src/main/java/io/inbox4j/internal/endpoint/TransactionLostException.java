package io.inbox4j.internal.endpoint;

import io.inbox4j.error.InboxException;

/** The failure of a message whose transaction is lost repeatedly. */
public final class TransactionLostException extends InboxException {

  public TransactionLostException(int times, Throwable cause) {
    super(
        ("the transaction was lost %d times in a row while this message was handled alone, though"
                + " the database answered others: its handler does something that crashes the"
                + " server's process, closes the connection or makes the transaction read-only")
            .formatted(times),
        cause);
  }
}
