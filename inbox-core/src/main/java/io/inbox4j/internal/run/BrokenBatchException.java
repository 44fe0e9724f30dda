package io.inbox4j.internal.run;

import io.inbox4j.error.InboxException;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.TransactionEndedException;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown when the handler of one of these messages has ended the transaction of its batch. */
public final class BrokenBatchException extends InboxException {

  private static final int SHOWN = 10;

  private final transient List<ClaimedMessage> orphans;
  private final TransactionEndedException failure;

  BrokenBatchException(List<ClaimedMessage> orphans, TransactionEndedException failure) {
    super("the handler of a message ended the transaction of its batch", failure);
    this.orphans = List.copyOf(orphans);
    this.failure = failure;
  }

  public List<ClaimedMessage> orphans() {
    return orphans;
  }

  /** Whether the message that caused it is known. */
  public boolean isSolved() {
    return orphans.size() == 1;
  }

  /** The failure of the handler. */
  public TransactionEndedException failure() {
    return failure;
  }

  /** The types and ids of the orphaned messages, at most the first ten. */
  String names() {
    String names =
        orphans.stream()
            .limit(SHOWN)
            .map(message -> message.type() + " " + message.messageId())
            .collect(Collectors.joining(", "));
    return orphans.size() <= SHOWN
        ? names
        : "%s and %d more".formatted(names, orphans.size() - SHOWN);
  }
}
