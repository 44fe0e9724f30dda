package io.inbox4j.internal.run;

import io.inbox4j.store.ClaimedMessage;
import java.util.List;

/**
 * The transaction of a batch was lost while these messages had it, or after that: with its
 * connection, or because it cannot write any more. It may have been the database, or what one of
 * their handlers did.
 */
public final class LostBatchException extends AbandonedException {

  private final transient List<ClaimedMessage> orphans;
  private final boolean alone;

  /**
   * @param alone whether no other message was handled in the transaction before
   */
  LostBatchException(List<ClaimedMessage> orphans, boolean alone, Throwable cause) {
    super("the transaction of the batch was lost", cause);
    this.orphans = List.copyOf(orphans);
    this.alone = alone;
  }

  public List<ClaimedMessage> orphans() {
    return orphans;
  }

  /** Whether it was one message, and no other had the transaction before it. */
  public boolean isAlone() {
    return alone && orphans.size() == 1;
  }
}
