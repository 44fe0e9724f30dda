package io.inbox4j.internal.limit;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** A limit on how many handlers of some kind run concurrently. */
public final class ConcurrencyLimit {

  private final Semaphore free;
  private final Set<WorkSignal> refused = ConcurrentHashMap.newKeySet();

  private ConcurrencyLimit(int count) {
    this.free = new Semaphore(count, true);
  }

  public static ConcurrencyLimit of(int count) {
    return new ConcurrencyLimit(count);
  }

  public static ConcurrencyLimit unlimited() {
    return new ConcurrencyLimit(Integer.MAX_VALUE);
  }

  /**
   * Takes as many permits as are free, up to this many; a caller that gets none is woken when some
   * are.
   */
  public int take(int most, WorkSignal asking) {
    int taken = take(most);
    if (taken == 0 && most > 0) {
      refused.add(asking);
      taken = take(most); // in case some were released just before
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

  public void release(int count) {
    if (count > 0) {
      free.release(count);
      for (WorkSignal waiting : List.copyOf(refused)) {
        refused.remove(waiting);
        waiting.raise();
      }
    }
  }
}
