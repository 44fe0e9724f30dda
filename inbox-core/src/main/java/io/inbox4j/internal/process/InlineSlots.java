package io.inbox4j.internal.process;

import io.inbox4j.internal.loop.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** How many inline transactions of an endpoint may run at once, whichever consumer runs them. */
final class InlineSlots {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration GLANCE = Duration.ofMillis(50);

  private final IntSupplier limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();
  private int taken;

  /**
   * @param limit at least 1; may change
   */
  InlineSlots(IntSupplier limit) {
    this.limit = limit;
  }

  /** The current limit. */
  int limit() {
    return limit.getAsInt();
  }

  /**
   * Waits for a slot, but neither forever nor once nothing is to be handled any more. An interrupt
   * is for the handlers that have one: it does not end the wait.
   *
   * @return whether there is one
   */
  boolean take(BooleanSupplier stopping) {
    Deadline deadline = Deadline.in(PATIENCE);
    boolean interrupted = false;
    lock.lock();
    try {
      while (taken >= limit()) {
        if (stopping.getAsBoolean() || deadline.hasPassed()) {
          return false;
        }
        try {
          freed.awaitNanos(GLANCE.toNanos()); // the limit may have been raised, too
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      taken++;
      return true;
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void release() {
    lock.lock();
    try {
      taken--;
      freed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
