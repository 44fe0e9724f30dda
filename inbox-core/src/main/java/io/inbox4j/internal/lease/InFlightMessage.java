package io.inbox4j.internal.lease;

import io.inbox4j.handler.EventContext;
import io.inbox4j.internal.run.HandlerTransaction;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A message in flight under a lease: it waits, runs, and ends exactly once, by whichever comes
 * first: its handler, its timeout, or the loss of the lease.
 */
final class InFlightMessage {

  private final ClaimedMessage message;
  private final Lease lease;
  private final Runnable freed;
  private final List<EventContext.Effect> effects = new ArrayList<>();
  private @Nullable Thread thread;
  private @Nullable Future<?> timeout;
  private long began;
  private @Nullable Duration took;
  private boolean ended;
  private boolean hasFreed;

  /**
   * @param freed called once, when the limits that this message counts against are free for another
   *     one
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
   * Adds an effect to be applied in the transaction of its outcome.
   *
   * @throws IllegalStateException if its outcome is known already
   */
  synchronized void commitWith(EventContext.Effect effect) {
    if (ended) {
      throw HandlerTransaction.tooLate();
    }
    effects.add(effect);
  }

  /** The effects to be applied in the transaction of its outcome. */
  synchronized List<EventContext.Effect> effects() {
    return List.copyOf(effects);
  }

  /** Begins to handle it on the current thread; false if it has already ended. */
  synchronized boolean begin() {
    thread = Thread.currentThread();
    began = System.nanoTime();
    return !ended;
  }

  synchronized void timesOut(Future<?> later) {
    timeout = later;
  }

  /** Ends it; true only for the first call. */
  synchronized boolean end() {
    if (ended) {
      return false;
    }
    ended = true;
    took = began == 0 ? null : Duration.ofNanos(System.nanoTime() - began);
    if (timeout != null) {
      timeout.cancel(false);
    }
    return true;
  }

  /** How long its handler ran until it ended, or null if it never began. */
  synchronized @Nullable Duration took() {
    return took;
  }

  /** Detaches the handler's thread. */
  synchronized void leave() {
    thread = null;
    Thread.interrupted(); // an interrupt was meant for this message, if for anything
  }

  /** Whether its handler has begun and not returned. */
  synchronized boolean isRunning() {
    return thread != null;
  }

  /** Interrupts its handler, if it is running. */
  synchronized void interrupt() {
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Releases the limits that it counts against, once. */
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
