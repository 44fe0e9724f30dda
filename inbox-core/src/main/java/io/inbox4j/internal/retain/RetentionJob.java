package io.inbox4j.internal.retain;

import io.inbox4j.internal.loop.ResilientLoop;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.RetentionStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
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
  private final Duration first;
  private final Duration interval;
  private final Thread thread = new Thread(this::run, "inbox-housekeeping");
  private long declaredAt;
  private volatile boolean closed;

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
    this.first = first;
    this.interval = interval;
  }

  /** Declares the retention at once, so that no other process removes the messages, and starts. */
  public void start() {
    log.info(
        "Processed messages are kept {}", retention.isForever() ? "for ever" : "as " + retention);
    guarded(
        "It is not known how long messages of %s are to be kept".formatted(endpoints),
        this::declare);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    AtomicReference<Duration> rest = new AtomicReference<>(first);
    new ResilientLoop(
            "Removing old messages",
            () -> closed,
            () -> {
              sleep(rest.getAndSet(interval));
              guarded("Old messages are not removed now", this::tidyUp);
            })
        .run();
  }

  private void declare() {
    store.declareRetention(endpoints, retention);
    declaredAt = System.nanoTime();
  }

  private void tidyUp() {
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
    if (!closed && System.nanoTime() - declaredAt > interval.toNanos()) {
      declare();
    }
    return !closed;
  }

  /** Runs a task; whatever it throws, it is tried again later. */
  private void guarded(String problem, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      if (!closed) {
        log.warn("{}, it is tried again later: {}", problem, e.getMessage());
      }
    }
  }

  /** Sleeps 0.5 to 1.5 times this long, so that processes do not all run at once. */
  private static void sleep(Duration about) throws InterruptedException {
    double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
    Thread.sleep((long) (about.toMillis() * jitter));
  }

  /** Stops it after the current step, within two seconds. */
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(GRACE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
