package io.inbox4j.internal.loop;

import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.internal.log.LoggedFailure;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop that repeats a step until it is told to end, whatever the step throws: an exception,
 * declared or not, or an error. Unexpected failures are reported, and the loop continues after a
 * moment.
 *
 * <p>An interrupt ends the current step, and nothing else. To end the loop, set the end condition
 * first and then interrupt. So a stale interrupt left by a handler or a listener does no harm.
 */
public final class ResilientLoop implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(ResilientLoop.class);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final Duration REST = Duration.ofMillis(100);

  private final String what;
  private final BooleanSupplier ended;
  private final Step step;
  private final LogRateLimit reports = new LogRateLimit(REPORT_EVERY);

  /** One repetition, including its wait. */
  @FunctionalInterface
  public interface Step {
    void run() throws Exception;
  }

  /**
   * @param what the name of the work in the log
   * @param ended whether the loop has to end
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
      } catch (Throwable e) { // nothing may end the loop
        survive(e);
      }
    }
  }

  /**
   * Clears the interrupt flag before checking the end condition: an interrupt that comes with the
   * end is either seen here or ends the next wait.
   */
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
      Thread.currentThread().interrupt(); // cleared, or acted on, by the next end check
    } catch (Throwable unreportable) {
      // out of memory for the report, for example
    }
  }
}
