package io.inbox4j.internal.limit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes one worker of an endpoint when there may be work: the one that has waited for the shortest
 * time. So the same few workers, with warm connections, do the work as long as they suffice.
 */
public final class WorkSignal {

  private static final long NEVER = Long.MAX_VALUE;
  private static final int MANY = 1_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Condition> waiting = new ArrayDeque<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean raised;
  private final TreeSet<Long> wishes = new TreeSet<>();
  private long turnIn = NEVER;
  private final long origin = System.nanoTime();

  /** When a worker last stopped waiting. */
  private long lastWoken;

  /** Wakes a worker now, or the next one that is about to wait. */
  public void raise() {
    lock.lock();
    try {
      raised = true;
      wakeOne();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Wakes a worker after the delay. If there are very many such requests, the latest are left to
   * polling.
   */
  public void raiseAfter(Duration delay) {
    lock.lock();
    try {
      wishes.add(TimeUnit.NANOSECONDS.toMillis(now() + delay.toNanos()) + 1);
      if (wishes.size() > MANY) {
        wishes.pollLast();
      }
      wakeOne();
    } finally {
      lock.unlock();
    }
  }

  /** Makes the next waiting worker return after this delay, to take a turn. */
  void turnAfter(Duration delay) {
    lock.lock();
    try {
      turnIn = Math.min(turnIn, now() + delay.toNanos());
    } finally {
      lock.unlock();
    }
  }

  private void wakeOne() {
    if (!waiting.isEmpty()) {
      waiting.getLast().signal();
    }
  }

  /**
   * Waits until raised, until a requested time, or until no worker has been woken for the given
   * time: of several that wait, one looks.
   */
  public void await(Duration atMost) throws InterruptedException {
    lock.lock();
    Condition woken = lock.newCondition();
    waiting.addLast(woken);
    try {
      while (!raised && closed.getCount() > 0) {
        long until = lastWoken + atMost.toNanos();
        long wait = Math.min(until, Math.min(nextWish(), turnIn)) - now();
        if (wait <= 0) {
          break;
        }
        woken.awaitNanos(wait);
      }
      raised = false;
      long now = now();
      lastWoken = now;
      wishes.headSet(TimeUnit.NANOSECONDS.toMillis(now), true).clear();
      turnIn = turnIn <= now ? NEVER : turnIn;
    } finally {
      waiting.removeLastOccurrence(woken);
      if (!wishes.isEmpty()) {
        wakeOne(); // a worker that keeps waiting has to see the new deadline
      }
      lock.unlock();
    }
  }

  private long nextWish() {
    return wishes.isEmpty() ? NEVER : TimeUnit.MILLISECONDS.toNanos(wishes.first());
  }

  /** Wakes all waiting workers, permanently. */
  public void close() {
    lock.lock();
    try {
      closed.countDown();
      waiting.forEach(Condition::signal);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the given time, or until closed. */
  public void pause(Duration time) throws InterruptedException {
    closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private long now() {
    return System.nanoTime() - origin;
  }
}
