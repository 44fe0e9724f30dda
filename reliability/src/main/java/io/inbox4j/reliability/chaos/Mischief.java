package io.inbox4j.reliability.chaos;

import io.inbox4j.handler.EventContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What the handlers of a process do when it is told to by a line of its standard input. */
enum Mischief {
  /** The next handler never returns. */
  HANG,
  /** The next handler ends its process. */
  HALT,
  /** For a while handlers update two rows, some in one order, some in the other. */
  DEADLOCK,
  /** For a while listeners throw whatever they hear of. */
  LISTENERS_THROW,
  /** For a while what leased handlers do at the commit takes long. */
  SLOW_EFFECTS,
  /** For a while some handlers commit past the guard of the transaction. */
  STRAY_COMMITS;

  static final Duration AWHILE = Duration.ofSeconds(4);
  private static final int COMMITS_ONE_IN = 10;
  private static final Duration SLOWLY = Duration.ofMillis(20);
  private static final AtomicReference<@Nullable Mischief> NEXT = new AtomicReference<>();
  private static final Map<Mischief, Long> UNTIL = new ConcurrentHashMap<>();
  private static final Map<Mischief, Integer> TIMES = new ConcurrentHashMap<>();

  static void next(Mischief mischief) {
    if (mischief == HANG || mischief == HALT) {
      NEXT.set(mischief);
    } else {
      UNTIL.put(mischief, System.nanoTime() + AWHILE.toNanos());
    }
  }

  /** Whether it was begun a while ago and is to strike; if so, that is counted. */
  boolean strikes() {
    Long until = UNTIL.get(this);
    if (until == null || System.nanoTime() > until) {
      return false;
    }
    TIMES.merge(this, 1, Integer::sum);
    return true;
  }

  /** How often it has struck in this process. */
  int times() {
    return TIMES.getOrDefault(this, 0);
  }

  static void strike(StepTaken event, EventContext context) throws Exception {
    Mischief next = NEXT.getAndSet(null);
    if (next != null) {
      System.out.println("strikes " + next);
      System.out.flush();
      if (next == HALT) {
        Runtime.getRuntime().halt(1);
      }
      while (true) {
        sleepThroughInterrupts();
      }
    }
    if (context.endpoint().equals(Walks.LEASED.queue()) && SLOW_EFFECTS.strikes()) {
      context.commitWith(transaction -> Thread.sleep(SLOWLY.toMillis()));
    }
    if (context.attempt() == 1
        && event.digest().hashCode() % COMMITS_ONE_IN == 0
        && STRAY_COMMITS.strikes()) {
      BackDoor door = BackDoor.number(STRAY_COMMITS.times());
      context.commitWith(transaction -> door.commit(transaction.unwrap(Handle.class)));
    }
    if (DEADLOCK.strikes()) {
      boolean upwards = event.digest().hashCode() % 2 == 0;
      context.commitWith(
          transaction -> {
            Handle handle = transaction.unwrap(Handle.class);
            touch(handle, upwards ? 1 : 2);
            Thread.sleep(5);
            touch(handle, upwards ? 2 : 1);
          });
    }
  }

  private static void touch(Handle handle, int id) {
    handle.execute("UPDATE contended SET touched = touched + 1 WHERE id = ?", id);
  }

  private static void sleepThroughInterrupts() {
    try {
      Thread.sleep(Long.MAX_VALUE);
    } catch (InterruptedException e) {
      // it never returns
    }
  }
}
