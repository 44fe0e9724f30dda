package io.inbox4j.internal.pool;

import java.util.List;

/** Waits for threads to end. */
public final class ThreadJoin {

  private ThreadJoin() {}

  /** Waits at most until this {@link System#nanoTime}; returns whether all have ended. */
  public static boolean join(List<Thread> threads, long until) {
    boolean ended = true;
    for (Thread thread : threads) {
      long left = Math.max(1, (until - System.nanoTime()) / 1_000_000);
      try {
        thread.join(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      ended &= !thread.isAlive();
    }
    return ended;
  }
}
