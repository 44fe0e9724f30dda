package io.inbox4j.internal.lease;

import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.internal.loop.ExponentialBackoff;
import java.time.Duration;

/**
 * Limits how long messages that have to run alone keep a leased subscription waiting: at most a
 * tenth of the time, and never for long. Used by one thread.
 */
final class IsolationPauses {

  private static final Duration MAX_REST = Duration.ofMinutes(10);
  private static final int REST_PER_TIME = 9;

  private final WorkSignal signal;
  private final ExponentialBackoff patienceGrowth =
      new ExponentialBackoff(Duration.ofSeconds(1), Duration.ofMinutes(1));
  private Duration patience = patienceGrowth.next();
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
    if (found) {
      patienceGrowth.reset();
    }
    patience = patienceGrowth.next();
    Duration proportional = time.multipliedBy(REST_PER_TIME);
    Duration rest = proportional.compareTo(MAX_REST) < 0 ? proportional : MAX_REST;
    restsUntil = System.nanoTime() + rest.toNanos();
    signal.raiseAfter(rest);
  }
}
