package io.inbox4j.processor;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.store.InboxStore;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the store remove what was kept long enough, every few minutes, on a daemon thread. Of many
 * processes one does it. {@link #start} and {@link #close} are called once each, by one thread.
 */
public final class Housekeeping {

  private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofMinutes(5);
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final InboxStore store;
  private final Retention retention;
  private final Duration first;
  private final Duration interval;
  private final Thread thread = new Thread(this::run, "inbox-housekeeping");
  private volatile boolean closed;

  public Housekeeping(InboxStore store, Retention retention) {
    this(store, retention, FIRST, INTERVAL);
  }

  Housekeeping(InboxStore store, Retention retention, Duration first, Duration interval) {
    this.store = store;
    this.retention = retention;
    this.first = first;
    this.interval = interval;
  }

  /** Starts, unless messages are kept for ever. */
  public void start() {
    if (retention.isForever()) {
      log.info("Processed messages are kept for ever");
      return;
    }
    log.info("Processed messages are kept as {}", retention);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    Duration rest = first;
    while (!closed && sleep(rest)) {
      tidyUp();
      rest = interval;
    }
  }

  private void tidyUp() {
    try {
      RetentionReport report = store.retain(retention, soFar -> !closed);
      if (report.hasChanges()) {
        log.info("Old messages are removed: {}", report);
      }
    } catch (RuntimeException e) {
      if (!closed) {
        log.warn("Old messages are not removed now, later they will be: {}", e.getMessage());
      }
    }
  }

  /** Half to once and a half of this time, so that processes do not all come at once. */
  private static boolean sleep(Duration about) {
    double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
    try {
      Thread.sleep((long) (about.toMillis() * jitter));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends it after the step in hand, within two seconds. */
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
