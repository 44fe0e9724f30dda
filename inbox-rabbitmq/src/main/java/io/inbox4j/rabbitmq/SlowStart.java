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
 * order. Where the order matters, on a queue with a single active consumer, another process may
 * have had more in flight; so consumers of such queues start with the full prefetch, and go back to
 * one delivery at a time only for messages that were delivered suspiciously often.
 */
final class SlowStart {

  private static final int FACTOR = 4;
  private static final int TRIES = 5;

  private static final long NEVER = Long.MAX_VALUE;

  private final int full;
  private final long tooOften;
  private int prefetch;
  private int singly = 1;
  private int failures;

  /**
   * @param full the endpoint's prefetch
   */
  SlowStart(int full) {
    this(full, 1, NEVER);
  }

  private SlowStart(int full, int prefetch, long tooOften) {
    this.full = full;
    this.prefetch = prefetch;
    this.tooOften = tooOften;
  }

  /**
   * One that starts with the full prefetch, to keep the order.
   *
   * @param deliveryLimit how often the broker delivers a message before dead-lettering it
   */
  static SlowStart inOrder(int full, int deliveryLimit) {
    return new SlowStart(full, full, Math.max(2, deliveryLimit / 2));
  }

  /**
   * Whether a message that was delivered this often before shows that processes crash while they
   * have it in flight, so that the others in flight should not be delivered with it.
   */
  synchronized boolean isSuspicious(long deliveries) {
    return prefetch > 1 && deliveries >= tooOften;
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
