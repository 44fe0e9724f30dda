package io.inbox4j.processor;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** How many handlers of some kind may run at once. */
final class Permits {

  private final Semaphore free;

  private Permits(int count) {
    this.free = new Semaphore(count, true);
  }

  static Permits of(int count) {
    return new Permits(count);
  }

  static Permits unlimited() {
    return new Permits(Integer.MAX_VALUE);
  }

  /** Takes as many as are free, up to this many. */
  int take(int most) {
    int taken = 0;
    while (taken < most) {
      int some = Math.min(most - taken, free.availablePermits());
      if (some <= 0 || !free.tryAcquire(some)) {
        return taken;
      }
      taken += some;
    }
    return taken;
  }

  /** Takes one, and waits for it if need be. */
  boolean takeOne(Duration wait) throws InterruptedException {
    return free.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  void giveBack(int count) {
    free.release(count);
  }
}
