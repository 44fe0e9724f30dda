package io.inbox4j.internal.lease;

import io.inbox4j.handler.EventContext;
import io.inbox4j.internal.run.HandlerTransaction;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A message in hand under a lease: it waits, runs, and ends once, whoever ends it first: its
 * handler, its time-out, or the loss of the lease.
 */
final class InFlightMessage {

  private final ClaimedMessage message;
  private final Lease lease;
  private final Runnable freed;
  private final List<EventContext.Effect> effects = new ArrayList<>();
  private @Nullable Thread thread;
  private @Nullable Future<?> timeout;
  private boolean ended;
  private boolean hasFreed;

  /**
   * @param freed called once, when another message may take the place of this one
   */
  InFlightMessage(ClaimedMessage message, Lease lease, Runnable freed) {
    this.message = message;
    this.lease = lease;
    this.freed = freed;
  }

  ClaimedMessage message() {
    return message;
  }

  Lease lease() {
    return lease;
  }

  /**
   * Has something done in the transaction of its outcome.
   *
   * @throws IllegalStateException if its outcome is known already
   */
  synchronized void commitWith(EventContext.Effect effect) {
    if (ended) {
      throw HandlerTransaction.tooLate();
    }
    effects.add(effect);
  }

  /** What is to be done in the transaction of its outcome. */
  synchronized List<EventContext.Effect> effects() {
    return List.copyOf(effects);
  }

  /** The current thread begins to handle it; false if it has ended before that. */
  synchronized boolean begin() {
    thread = Thread.currentThread();
    return !ended;
  }

  synchronized void timesOut(Future<?> later) {
    timeout = later;
  }

  /** Ends it; true for the first who does. */
  synchronized boolean end() {
    if (ended) {
      return false;
    }
    ended = true;
    if (timeout != null) {
      timeout.cancel(false);
    }
    return true;
  }

  /** The handler's thread has nothing to do with it any more. */
  synchronized void leave() {
    thread = null;
    Thread.interrupted(); // was meant for this message, if for anything
  }

  /** Whether its handler has begun and not returned. */
  synchronized boolean isRunning() {
    return thread != null;
  }

  /** Interrupts its handler, if it runs. */
  synchronized void interrupt() {
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Lets another message take its place. */
  void free() {
    synchronized (this) {
      if (hasFreed) {
        return;
      }
      hasFreed = true;
    }
    freed.run();
  }
}
