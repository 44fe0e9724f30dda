package io.inbox4j.processor;

import io.inbox4j.InboxException;

/** What is held against a message that loses its transaction again and again. */
final class TransactionLostException extends InboxException {

  TransactionLostException(int times, Throwable cause) {
    super(
        ("the transaction was lost %d times in a row while this message was handled alone, though"
                + " the database answered others: its handler does something that crashes the"
                + " server's process, closes the connection or makes the transaction read-only")
            .formatted(times),
        cause);
  }
}
