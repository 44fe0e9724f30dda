package io.inbox4j.rabbitmq;

/**
 * How many deliveries a consumer may have in hand: one at first, more as they get through, then as
 * many as the endpoint says.
 *
 * <p>Whatever a process has in hand when it dies counts as delivered once more, and what was
 * delivered too often is dead-lettered. So a process that dies again and again before it has stored
 * anything costs one message a delivery, and one that dies later has at most a few times as many in
 * hand as it has stored.
 *
 * <p>It goes on where it was when a connection was lost, because a quorum queue puts what it gets
 * back behind what it got back before: a consumer that takes less than that would change the order.
 */
final class SlowStart {

  private static final int FACTOR = 4;
  private static final int TRIES = 5;

  private final int full;
  private int prefetch = 1;
  private int singly = 1;
  private int failures;

  /**
   * @param full how many the endpoint allows
   */
  SlowStart(int full) {
    this.full = full;
  }

  /** How many may be in hand. */
  synchronized int prefetch() {
    return prefetch;
  }

  /** Whether as many may be in hand as the endpoint says. */
  synchronized boolean isOver() {
    return prefetch >= full;
  }

  /**
   * As many as may be in hand are stored.
   *
   * @return whether there may be more now
   */
  synchronized boolean gotThrough() {
    if (singly > 1) {
      singly--;
      return false;
    }
    prefetch = (int) Math.min(full, (long) prefetch * FACTOR);
    return true;
  }

  /** Something in hand is stored. */
  synchronized void stored() {
    failures = 0;
  }

  /**
   * There was no memory to look at one of those in hand.
   *
   * @return whether it was alone, and nothing has got through in several attempts: then it is the
   *     reason itself
   */
  synchronized boolean isHopeless() {
    return prefetch == 1 && ++failures >= TRIES;
  }

  /**
   * The client itself has failed, and a message in its hand may be the reason: as many as there
   * were get through one by one, so that no other shares its fate.
   */
  synchronized void again() {
    singly = Math.max(singly, prefetch);
    prefetch = 1;
  }
}
