package io.inbox4j.internal.lease;

import io.inbox4j.internal.limit.WorkSignal;
import java.time.Duration;

/**
 * Limits how long messages that have to run alone keep a leased subscription waiting: at most a
 * tenth of the time, and never for long. Used by one thread.
 */
final class IsolationPauses {

  private static final Duration MIN_PATIENCE = Duration.ofSeconds(1);
  private static final Duration MAX_PATIENCE = Duration.ofMinutes(1);
  private static final Duration MAX_REST = Duration.ofMinutes(10);
  private static final int REST_PER_TIME = 9;

  private final WorkSignal signal;
  private Duration patience = MIN_PATIENCE;
  private long restsUntil = System.nanoTime();

  IsolationPauses(WorkSignal signal) {
    this.signal = signal;
  }

  /** Whether other messages may be kept waiting now. */
  boolean mayBegin() {
    return System.nanoTime() - restsUntil >= 0;
  }

  /**
   * How long to wait for messages in flight to finish; longer after each time that they did not.
   */
  Duration patience() {
    return patience;
  }

  /**
   * Records that other messages were kept waiting for this time.
   *
   * @param found whether nothing was in flight in the end
   */
  void ended(Duration time, boolean found) {
    patience = found ? MIN_PATIENCE : shorter(patience.multipliedBy(2), MAX_PATIENCE);
    Duration rest = shorter(time.multipliedBy(REST_PER_TIME), MAX_REST);
    restsUntil = System.nanoTime() + rest.toNanos();
    signal.raiseAfter(rest);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
