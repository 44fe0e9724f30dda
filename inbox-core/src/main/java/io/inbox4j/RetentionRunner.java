package io.inbox4j;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.RetentionStore;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes messages that were kept long enough, when it is told to. Thread-safe. */
public final class RetentionRunner {

  private static final Logger log = LoggerFactory.getLogger(RetentionRunner.class);

  private final RetentionStore store;
  private final Set<String> endpoints;
  private final Retention retention;

  /**
   * @param endpoints whose messages are kept so long
   */
  public RetentionRunner(RetentionStore store, Set<String> endpoints, Retention retention) {
    this.store = store;
    this.endpoints = Set.copyOf(endpoints);
    this.retention = retention;
  }

  /** How long messages are kept. */
  public Retention retention() {
    return retention;
  }

  /**
   * Removes all that was kept long enough, in small steps that leave most of the time to others.
   * What a running process, of this service or of another one, wants to keep for longer stays. Does
   * nothing if another process is at it.
   *
   * @throws InboxException if messages are kept for ever
   */
  public RetentionReport run() {
    return run(soFar -> {});
  }

  /**
   * The same. An interrupt ends it after the step in hand.
   *
   * @param progress told what was done so far, after every step; what it throws is logged and
   *     changes nothing
   */
  public RetentionReport run(Consumer<RetentionReport> progress) {
    if (retention.isForever()) {
      throw new InboxException(
          "messages are kept for ever; expected for example .retention(Retention.days(7))");
    }
    return store.retain(
        endpoints,
        retention,
        false,
        soFar -> {
          tell(progress, soFar);
          return true;
        });
  }

  private static void tell(Consumer<RetentionReport> progress, RetentionReport soFar) {
    try {
      progress.accept(soFar);
    } catch (Throwable e) { // it only looks on
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.error("What looks on while old messages are removed failed", LoggedFailure.of(e));
    }
  }
}
