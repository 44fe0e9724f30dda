package io.inbox4j.internal.loop;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs small tasks periodically on a daemon thread, whatever they throw; one that fails is skipped
 * for a while. Started and closed by one thread at a time; it can be started again.
 */
public final class PeriodicTasks implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PeriodicTasks.class);
  private static final Duration MAX_REST = Duration.ofSeconds(30);
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final Duration interval;
  private final List<Chore> chores;
  private @Nullable BackgroundLoop running;

  /**
   * @param interval the approximate pause between two rounds
   */
  public PeriodicTasks(Duration interval, List<Runnable> chores) {
    this.interval = interval;
    this.chores = chores.stream().map(Chore::new).toList();
  }

  /** Starts it, unless it is running. */
  public void start() {
    if (running == null) {
      running = new BackgroundLoop("inbox-upkeep", "Upkeep", this::run).start();
    }
  }

  private void run(BackgroundLoop loop) throws InterruptedException {
    chores.forEach(chore -> chore.run(loop));
    loop.pause(ExponentialBackoff.jittered(interval));
  }

  /** Stops it, within a few seconds even if a task is running. */
  @Override
  public void close() {
    if (running != null) {
      running.close(GRACE);
      running = null;
    }
  }

  /** A task, used only by the one thread. */
  private final class Chore {

    private final Runnable work;
    private final ExponentialBackoff backoff = new ExponentialBackoff(interval, MAX_REST);
    private Deadline rest = Deadline.in(Duration.ZERO);
    private boolean failing;

    private Chore(Runnable work) {
      this.work = work;
    }

    private void run(BackgroundLoop loop) {
      if (loop.isClosed() || !rest.hasPassed()) {
        return;
      }
      try {
        work.run();
        backoff.reset();
        failing = false;
      } catch (Throwable e) { // the thread survives everything
        if (!loop.isClosed()) {
          failed(e);
        }
      }
    }

    private void failed(Throwable failure) {
      Duration delay = backoff.next();
      rest = Deadline.in(delay);
      String why =
          failure instanceof InboxException ? failure.getMessage() : LoggedFailure.summary(failure);
      if (failing) {
        log.debug("Upkeep fails again, trying in {}: {}", delay, why);
      } else {
        log.warn("Upkeep fails, which holds up nothing else; trying again in {}: {}", delay, why);
      }
      failing = true;
    }
  }
}
