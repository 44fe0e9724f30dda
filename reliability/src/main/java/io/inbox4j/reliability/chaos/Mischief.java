package io.inbox4j.reliability.chaos;

import io.inbox4j.handler.EventContext;
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
  DEADLOCK;

  private static final long AWHILE = 2_000_000_000L;
  private static final AtomicReference<@Nullable Mischief> NEXT = new AtomicReference<>();
  private static volatile long deadlocksUntil = System.nanoTime();

  static void next(Mischief mischief) {
    if (mischief == DEADLOCK) {
      deadlocksUntil = System.nanoTime() + AWHILE;
    } else {
      NEXT.set(mischief);
    }
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
    if (System.nanoTime() < deadlocksUntil) {
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
