package io.inbox4j.internal.retain;

import io.inbox4j.internal.loop.BackgroundLoop;
import io.inbox4j.internal.loop.ExponentialBackoff;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.RetentionStore;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background job that declares how long this process wants its messages to be kept, and has the
 * store remove expired ones, every few minutes, on a daemon thread. Of many processes one removes
 * at a time. {@link #start} and {@link #close} are called once each, by one thread.
 */
public final class RetentionJob {

  private static final Logger log = LoggerFactory.getLogger(RetentionJob.class);
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final RetentionStore store;
  private final Set<String> endpoints;
  private final Retention retention;
  private final Duration interval;
  private final BackgroundLoop loop;
  private Duration pause;
  private long declaredAt;

  /**
   * @param endpoints the endpoints that this process handles
   */
  public RetentionJob(RetentionStore store, Set<String> endpoints, Retention retention) {
    this(store, endpoints, retention, FIRST, INTERVAL);
  }

  RetentionJob(
      RetentionStore store,
      Set<String> endpoints,
      Retention retention,
      Duration first,
      Duration interval) {
    this.store = store;
    this.endpoints = Set.copyOf(endpoints);
    this.retention = retention;
    this.interval = interval;
    this.pause = first;
    this.loop = new BackgroundLoop("inbox-retention", "Removing old messages", this::run);
  }

  /** Declares the retention at once, so that no other process removes the messages, and starts. */
  public void start() {
    log.info(
        "Processed messages are kept {}", retention.isForever() ? "forever" : "as " + retention);
    guarded(
        "It is not known how long messages of %s are to be kept".formatted(endpoints),
        this::declare);
    loop.start();
  }

  private void run(BackgroundLoop self) throws InterruptedException {
    if (self.pause(ExponentialBackoff.jittered(pause))) {
      guarded("Old messages are not removed now", this::removeOld);
    }
    pause = interval;
  }

  private void declare() {
    store.declareRetention(endpoints, retention);
    declaredAt = System.nanoTime();
  }

  private void removeOld() {
    declare();
    if (retention.isForever()) {
      return;
    }
    RetentionReport report = store.retain(soFar -> goOn());
    if (report.hasChanges()) {
      log.info("Old messages are removed: {}", report);
    }
  }

  /** Whether to continue a run; it may take hours, so the retention is declared again meanwhile. */
  private boolean goOn() {
    if (!loop.isClosed() && System.nanoTime() - declaredAt > interval.toNanos()) {
      declare();
    }
    return !loop.isClosed();
  }

  /** Runs a task; whatever it throws, it is tried again later. */
  private void guarded(String problem, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      if (!loop.isClosed()) {
        log.warn("{}, it is tried again later: {}", problem, e.getMessage());
      }
    }
  }

  /** Stops it after the current step, within two seconds. */
  public void close() {
    loop.interrupt();
    loop.close(GRACE);
  }
}
