package io.inbox4j.jdbi;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where the next claim of an endpoint begins to look.
 *
 * <p>Claims go on where the last one ended, so that they walk neither over rows that are gone and
 * not yet vacuumed nor over rows that a neighbour has locked. It is a hint: transactions commit out
 * of order, so about once a second a claim looks from the start.
 */
final class ClaimCursor {

  static final Duration RESCAN_INTERVAL = Duration.ofSeconds(1);

  /** How much later a message may commit than one that is due after it. */
  static final Duration OVERLAP = Duration.ofMillis(100);

  private static final Instant START = Instant.EPOCH;

  private final AtomicLong lastRescan = new AtomicLong(System.nanoTime());
  private volatile Instant position = START;
  private volatile int lane = -1;

  /** From which due time on to look. */
  Instant from() {
    long last = lastRescan.get();
    long now = System.nanoTime();
    if (now - last > RESCAN_INTERVAL.toNanos() && lastRescan.compareAndSet(last, now)) {
      return START;
    }
    return position;
  }

  /** The lane that was claimed from last, -1 for none. */
  int lane() {
    return lane;
  }

  /** A claim is about to use this lane. */
  void lane(int used) {
    lane = used;
  }

  /** A claim ended at this due time; it was full if there may be more. */
  void claimed(Instant lastDue, boolean full) {
    position = full ? lastDue : lastDue.minus(OVERLAP);
  }
}
