package io.inbox4j.internal.loop;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs small tasks periodically on a daemon thread, whatever they throw; one that fails is skipped
 * for a while. {@link #start} and {@link #close} are called once each.
 */
public final class PeriodicTasks implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PeriodicTasks.class);
  private static final Duration MAX_REST = Duration.ofSeconds(30);
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final Duration interval;
  private final List<Chore> chores;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "inbox-upkeep");

  /**
   * @param interval the approximate pause between two rounds
   */
  public PeriodicTasks(Duration interval, List<Runnable> chores) {
    this.interval = interval;
    this.chores = chores.stream().map(Chore::new).toList();
  }

  public void start() {
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    do {
      chores.forEach(Chore::run);
    } while (!isClosedWithin(interval));
  }

  /** Waits 0.5 to 1.5 times this long, so that processes do not all run at once. */
  private boolean isClosedWithin(Duration about) {
    double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
    try {
      return closed.await((long) (about.toNanos() * jitter), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return closed.getCount() == 0; // interrupted by the last task, or to be closed
    }
  }

  /** Whether it is closed. */
  public boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Stops it, within a few seconds even if a task is running. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join(GRACE.toMillis());
      thread.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A task, used only by the one thread. */
  private final class Chore {

    private final Runnable work;
    private Duration rest = Duration.ZERO;
    private long notBefore = System.nanoTime();

    private Chore(Runnable work) {
      this.work = work;
    }

    private void run() {
      if (isClosed() || System.nanoTime() - notBefore < 0) {
        return;
      }
      try {
        work.run();
        rest = Duration.ZERO;
      } catch (Throwable e) { // the thread survives everything
        failed(e);
      }
    }

    private void failed(Throwable failure) {
      if (isClosed()) {
        return;
      }
      boolean again = !rest.isZero();
      rest = rest.plus(rest).plus(interval);
      rest = rest.compareTo(MAX_REST) > 0 ? MAX_REST : rest;
      notBefore = System.nanoTime() + rest.toNanos();
      String why =
          failure instanceof InboxException ? failure.getMessage() : LoggedFailure.summary(failure);
      if (again) {
        log.debug("Upkeep fails again, trying in {}: {}", rest, why);
      } else {
        log.warn("Upkeep fails, which holds up nothing else; trying again in {}: {}", rest, why);
      }
    }
  }
}
