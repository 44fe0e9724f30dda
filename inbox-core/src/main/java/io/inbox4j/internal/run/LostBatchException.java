package io.inbox4j.internal.run;

import io.inbox4j.store.ClaimedMessage;
import java.util.List;

/**
 * Thrown when the transaction of a batch was lost while or after these messages were handled in it:
 * with its connection, or because it can no longer write. The cause may be the database, or
 * something that one of their handlers did.
 */
public final class LostBatchException extends AbandonedException {

  private final transient List<ClaimedMessage> orphans;
  private final boolean alone;

  /**
   * @param alone whether no other message was handled in the transaction before these
   */
  LostBatchException(List<ClaimedMessage> orphans, boolean alone, Throwable cause) {
    super("the transaction of the batch was lost", cause);
    this.orphans = List.copyOf(orphans);
    this.alone = alone;
  }

  public List<ClaimedMessage> orphans() {
    return orphans;
  }

  /** Whether it was a single message and no other was handled in the transaction before it. */
  public boolean isAlone() {
    return alone && orphans.size() == 1;
  }
}
