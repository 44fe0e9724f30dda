package io.inbox4j.internal.lease;

import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.internal.pool.StuckHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The slots of leased handlers: how many run, and which messages wait for a slot.
 *
 * <p>A few messages are leased ahead, as many as will begin within the next moments, so that a slot
 * never stays empty for the time of a claim. While handlers are slow, none are leased ahead.
 *
 * <p>A handler that lost its message, because its timeout passed or its lease was lost, frees its
 * slot for another message although it has not returned. The number of such handlers is bounded,
 * too: when there are many, fewer others begin, and in the end none until one returns.
 */
final class HandlerSlots {

  private static final Duration AHEAD = Duration.ofMillis(50);
  private static final double WEIGHT_OF_LAST = 0.1;

  /**
   * The minimum number of handlers that may be overdue, however few slots there are, because one
   * message may be retried many times.
   */
  private static final int MIN_OVERDUE = 16;

  /** How long a handler may take to react to an interrupt before it counts as stuck. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private final int maxAhead;
  private final WorkSignal signal;
  private final Deque<InFlightMessage> waiting = new ArrayDeque<>();
  private final Set<InFlightMessage> running = new HashSet<>();

  /** The handlers that have not returned although they lost their message, and since when. */
  private final Map<InFlightMessage, Long> overdue = new HashMap<>();

  private int size;
  private double averageNanos;
  private boolean stopped;

  HandlerSlots(int size, int maxAhead, WorkSignal signal) {
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
    int capacity = capacity(overdue.size());
    return capacity == 0 ? 0 : Math.max(0, capacity + ahead() - running.size() - waiting.size());
  }

  /** How many handlers may run concurrently while this many have not returned in time. */
  private int capacity(int stuck) {
    return Math.max(0, Math.min(size, size + Math.max(size, MIN_OVERDUE) - stuck));
  }

  /** How many handlers can run concurrently right now. */
  synchronized int usable() {
    return capacity(stuck().handlers());
  }

  /** Whether nothing can begin, because too many handlers have not returned. */
  synchronized boolean isBlocked() {
    return capacity(overdue.size()) == 0;
  }

  /** How many handlers have not returned although they lost their message. */
  synchronized int overdue() {
    return overdue.size();
  }

  /** The handlers that have not returned long after they were interrupted. */
  synchronized StuckHandlers stuck() {
    long now = System.nanoTime();
    int count = 0;
    long longest = 0;
    for (long since : overdue.values()) {
      count += now - since >= MOMENT.toNanos() ? 1 : 0;
      longest = Math.max(longest, now - since);
    }
    return count == 0 ? StuckHandlers.NONE : new StuckHandlers(count, Duration.ofNanos(longest));
  }

  /** How many slots have to be free to make a claim worthwhile. */
  synchronized int worthClaiming() {
    return Math.max(1, ahead() / 2);
  }

  private int ahead() {
    return averageNanos == 0
        ? 0
        : (int) Math.min(maxAhead, size * (AHEAD.toNanos() / averageNanos));
  }

  synchronized void add(InFlightMessage leased) {
    waiting.addLast(leased);
  }

  /** Assigns a slot to the next message that may begin and returns it; null if none may. */
  synchronized @Nullable InFlightMessage begin() {
    if (stopped || running.size() >= capacity(overdue.size()) || waiting.isEmpty()) {
      return null;
    }
    InFlightMessage next = waiting.removeFirst();
    running.add(next);
    return next;
  }

  /** Frees the slot of a handler that finished after this time. */
  synchronized void end(InFlightMessage leased, Duration time) {
    double nanos = Math.max(1, time.toNanos());
    averageNanos =
        averageNanos == 0 ? nanos : averageNanos + WEIGHT_OF_LAST * (nanos - averageNanos);
    leave(leased);
  }

  /** Abandons a message, whether it waits or runs; its handler may not have returned. */
  synchronized void abandon(InFlightMessage leased) {
    if (leased.isRunning()) {
      overdue.put(leased, System.nanoTime());
    }
    waiting.remove(leased);
    leave(leased);
  }

  /** Records that a handler has returned that had lost its message. */
  synchronized void returned(InFlightMessage leased) {
    overdue.remove(leased);
    leave(leased);
  }

  private void leave(InFlightMessage leased) {
    running.remove(leased);
    notifyAll();
    if (room() >= worthClaiming() || (isBlocked() && !waiting.isEmpty())) {
      signal.raise();
    }
  }

  /** Lets nothing more begin. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  /** Removes and returns the waiting messages. */
  synchronized List<InFlightMessage> takeWaiting() {
    List<InFlightMessage> all = new ArrayList<>(waiting);
    waiting.clear();
    return all;
  }

  /** Waits until nothing runs, at most until the deadline; returns whether that is so. */
  synchronized boolean join(Deadline deadline) {
    try {
      while (!running.isEmpty() && !deadline.hasPassed()) {
        TimeUnit.NANOSECONDS.timedWait(this, deadline.left().toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return running.isEmpty();
  }
}
