package io.inbox4j.processor;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** How many handlers of some kind may run at once. */
final class Permits {

  private final Semaphore free;
  private final Set<Signal> refused = ConcurrentHashMap.newKeySet();

  private Permits(int count) {
    this.free = new Semaphore(count, true);
  }

  static Permits of(int count) {
    return new Permits(count);
  }

  static Permits unlimited() {
    return new Permits(Integer.MAX_VALUE);
  }

  /** Takes as many as are free, up to this many; who gets none is woken when there are some. */
  int take(int most, Signal asking) {
    int taken = take(most);
    if (taken == 0 && most > 0) {
      refused.add(asking);
      taken = take(most); // in case some were given back just before
    }
    return taken;
  }

  private int take(int most) {
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

  void giveBack(int count) {
    if (count > 0) {
      free.release(count);
      for (Signal waiting : List.copyOf(refused)) {
        refused.remove(waiting);
        waiting.raise();
      }
    }
  }
}
