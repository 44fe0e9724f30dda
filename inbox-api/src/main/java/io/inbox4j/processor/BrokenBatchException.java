package io.inbox4j.processor;

import io.inbox4j.InboxException;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.TransactionEndedException;
import java.util.List;
import java.util.stream.Collectors;

/** The handler of one of these messages has ended the transaction of its batch. */
final class BrokenBatchException extends InboxException {

  private static final int SHOWN = 10;

  private final transient List<StoredMessage> suspects;
  private final TransactionEndedException failure;

  BrokenBatchException(List<StoredMessage> suspects, TransactionEndedException failure) {
    super("the handler of a message ended the transaction of its batch", failure);
    this.suspects = List.copyOf(suspects);
    this.failure = failure;
  }

  List<StoredMessage> suspects() {
    return suspects;
  }

  /** Whether it is known which message it was. */
  boolean isSolved() {
    return suspects.size() == 1;
  }

  /** What its handler did. */
  TransactionEndedException failure() {
    return failure;
  }

  /** The ids of the suspects, the first of many. */
  String names() {
    String names =
        suspects.stream()
            .limit(SHOWN)
            .map(message -> message.type() + " " + message.messageId())
            .collect(Collectors.joining(", "));
    return suspects.size() <= SHOWN
        ? names
        : "%s and %d more".formatted(names, suspects.size() - SHOWN);
  }
}
