package io.inbox4j.internal.loop;

import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.log.LoggedFailure;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is repeated until it is told to end, whatever it throws: an exception, declared or not,
 * or an error. What was not expected is reported, and the work goes on after a moment.
 *
 * <p>An interrupt ends the step in hand, and nothing else. Who wants the work to end says so first
 * and interrupts then. One that a handler or a listener left behind so does no harm.
 */
public final class ResilientLoop implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(ResilientLoop.class);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final Duration REST = Duration.ofMillis(100);

  private final String what;
  private final BooleanSupplier ended;
  private final Step step;
  private final LogRateLimit reports = new LogRateLimit(REPORT_EVERY);

  /** What is repeated, with the wait that belongs to it. */
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  /**
   * @param what the work, as the log names it
   * @param ended whether it is to end
   */
  public ResilientLoop(String what, BooleanSupplier ended, Step step) {
    this.what = what;
    this.ended = ended;
    this.step = step;
  }

  @Override
  public void run() {
    while (goesOn()) {
      try {
        step.run();
      } catch (InterruptedException e) {
        log.debug("{} is interrupted; it goes on unless it was told to end", what);
      } catch (Throwable e) { // nothing may end it
        survive(e);
      }
    }
  }

  /** The flag goes first: one that comes with the end is either seen here or ends the next wait. */
  private boolean goesOn() {
    Thread.interrupted();
    return !ended.getAsBoolean();
  }

  private void survive(Throwable failure) {
    try {
      OptionalLong before = reports.next();
      if (before.isPresent() && !ended.getAsBoolean()) {
        log.error(
            "{} failed and goes on; it failed {} times more since this was last said",
            what,
            before.getAsLong(),
            LoggedFailure.of(failure));
      }
      Thread.sleep(REST.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // cleared, or heeded, by the next look at the end
    } catch (Throwable unreportable) {
      // no memory left to say so, for example
    }
  }
}
