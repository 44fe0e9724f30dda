package io.inbox4j.processor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The places of leased handlers: how many run, and which messages wait for a place.
 *
 * <p>A few messages are leased ahead, as many as will begin within the next moments, so that a
 * place never stays empty for the time of a claim. While handlers are slow those are none.
 */
final class Places {

  private static final Duration AHEAD = Duration.ofMillis(50);
  private static final double WEIGHT_OF_LAST = 0.1;

  private final int maxAhead;
  private final Signal signal;
  private final Deque<Leased> waiting = new ArrayDeque<>();
  private int size;
  private int running;
  private double averageNanos;
  private boolean stopped;

  Places(int size, int maxAhead, Signal signal) {
    this.size = size;
    this.maxAhead = maxAhead;
    this.signal = signal;
  }

  synchronized int size() {
    return size;
  }

  synchronized void resize(int count) {
    size = count;
    signal.raise();
  }

  /** How many messages could be claimed now. */
  synchronized int room() {
    return Math.max(0, size + ahead() - running - waiting.size());
  }

  /** How many places have to be free to make a claim worth its while. */
  synchronized int worthClaiming() {
    return Math.max(1, ahead() / 2);
  }

  private int ahead() {
    return averageNanos == 0
        ? 0
        : (int) Math.min(maxAhead, size * (AHEAD.toNanos() / averageNanos));
  }

  synchronized void add(Leased leased) {
    waiting.addLast(leased);
  }

  /** The next message that may begin, which has a place now; null if none may. */
  synchronized @Nullable Leased begin() {
    if (stopped || running >= size || waiting.isEmpty()) {
      return null;
    }
    running++;
    return waiting.removeFirst();
  }

  /** A handler has ended after this time. */
  synchronized void end(Duration time) {
    double nanos = Math.max(1, time.toNanos());
    averageNanos =
        averageNanos == 0 ? nanos : averageNanos + WEIGHT_OF_LAST * (nanos - averageNanos);
    leave();
  }

  /** A message is given up, whether it waits or runs. */
  synchronized void abandon(Leased leased) {
    if (waiting.remove(leased)) {
      notifyAll();
    } else {
      leave();
    }
  }

  private void leave() {
    running--;
    notifyAll();
    if (room() >= worthClaiming()) {
      signal.raise();
    }
  }

  /** Lets nothing begin any more. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  /** Takes away what waits. */
  synchronized List<Leased> takeWaiting() {
    List<Leased> all = new ArrayList<>(waiting);
    waiting.clear();
    return all;
  }

  /** Waits until nothing runs, until this time of {@link System#nanoTime}; whether that is so. */
  synchronized boolean join(long until) {
    try {
      for (long left = until - System.nanoTime(); running > 0 && left > 0; ) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = until - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return running == 0;
  }
}
