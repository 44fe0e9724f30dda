package io.inbox4j.rabbitmq;

/**
 * The number of deliveries that a consumer may have in flight: one at first, more as they get
 * through, up to the endpoint's prefetch.
 *
 * <p>Whatever a process has in flight when it crashes counts as delivered once more, and what was
 * delivered too often is dead-lettered. So a process that crashes again and again before it has
 * stored anything costs a single message one delivery each time, and one that crashes later has at
 * most a few times as many in flight as it has stored.
 *
 * <p>It continues where it was when a connection was lost, because a quorum queue puts what is
 * requeued behind what was requeued before: a consumer that takes less than that would change the
 * order.
 */
final class SlowStart {

  private static final int FACTOR = 4;
  private static final int TRIES = 5;

  private final int full;
  private int prefetch = 1;
  private int singly = 1;
  private int failures;

  /**
   * @param full the endpoint's prefetch
   */
  SlowStart(int full) {
    this.full = full;
  }

  /** How many deliveries may be in flight. */
  synchronized int prefetch() {
    return prefetch;
  }

  /** Whether the endpoint's full prefetch is reached. */
  synchronized boolean isOver() {
    return prefetch >= full;
  }

  /**
   * Records that a full prefetch of deliveries is stored.
   *
   * @return whether the prefetch may be raised now
   */
  synchronized boolean gotThrough() {
    if (singly > 1) {
      singly--;
      return false;
    }
    prefetch = (int) Math.min(full, (long) prefetch * FACTOR);
    return true;
  }

  /** Records that some delivery in flight is stored. */
  synchronized void stored() {
    failures = 0;
  }

  /**
   * Records that there was no memory to validate a delivery in flight.
   *
   * @return whether it was the only one, and nothing has got through in several attempts: then this
   *     delivery is itself the reason
   */
  synchronized boolean isHopeless() {
    return prefetch == 1 && ++failures >= TRIES;
  }

  /**
   * Restarts at one delivery after the client itself has failed, because a message in flight may be
   * the reason: as many as were in flight get through one by one, so that none shares its fate.
   */
  synchronized void again() {
    singly = Math.max(singly, prefetch);
    prefetch = 1;
  }
}
