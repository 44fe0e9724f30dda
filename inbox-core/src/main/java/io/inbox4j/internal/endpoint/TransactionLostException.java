package io.inbox4j.internal.endpoint;

import io.inbox4j.error.InboxException;

/** What is held against a message that loses its transaction again and again. */
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
