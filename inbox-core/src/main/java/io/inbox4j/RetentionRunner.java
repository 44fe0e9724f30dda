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

/** Removes messages whose retention has expired, on demand. Thread-safe. */
public final class RetentionRunner {

  private static final Logger log = LoggerFactory.getLogger(RetentionRunner.class);

  private final RetentionStore store;
  private final Set<String> endpoints;
  private final Retention retention;

  /**
   * @param endpoints the endpoints to which the retention applies
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
   * Removes all messages whose retention has expired, in small steps that leave most of the
   * capacity to other work. Messages that a running process, of this service or another, wants to
   * keep for longer stay. Does nothing if a run is active in another process.
   *
   * @throws InboxException if messages are kept forever
   */
  public RetentionReport run() {
    return run(soFar -> {});
  }

  /**
   * The same, with progress reports. An interrupt stops it after the current step.
   *
   * @param progress called after every step with the progress so far; what it throws is logged and
   *     changes nothing
   */
  public RetentionReport run(Consumer<RetentionReport> progress) {
    if (retention.isForever()) {
      throw new InboxException(
          "messages are kept forever; expected for example .retention(Retention.days(7))");
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
    } catch (Throwable e) { // a progress callback must not stop the run
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      log.error("What looks on while old messages are removed failed", LoggedFailure.of(e));
    }
  }
}
