package io.inbox4j.processor;

import io.inbox4j.store.StoredMessage;
import java.util.List;

/**
 * The transaction of a batch was lost while these messages had it, or after that: with its
 * connection, or because it cannot write any more. It may have been the database, or what one of
 * their handlers did.
 */
final class LostBatchException extends AbandonedException {

  private final transient List<StoredMessage> suspects;
  private final boolean alone;

  /**
   * @param alone whether no other message was handled in the transaction before
   */
  LostBatchException(List<StoredMessage> suspects, boolean alone, Throwable cause) {
    super("the transaction of the batch was lost", cause);
    this.suspects = List.copyOf(suspects);
    this.alone = alone;
  }

  List<StoredMessage> suspects() {
    return suspects;
  }

  /** Whether it was one message, and no other had the transaction before it. */
  boolean isAlone() {
    return alone && suspects.size() == 1;
  }
}
