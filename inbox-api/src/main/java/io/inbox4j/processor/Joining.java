package io.inbox4j.processor;

import java.util.List;

/** Waits for threads. */
final class Joining {

  private Joining() {}

  /** Waits until this time of {@link System#nanoTime}; whether all have ended. */
  static boolean join(List<Thread> threads, long until) {
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
