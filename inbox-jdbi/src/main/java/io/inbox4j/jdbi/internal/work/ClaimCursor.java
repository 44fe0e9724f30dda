package io.inbox4j.jdbi.internal.work;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Where the next claim of an endpoint begins to look.
 *
 * <p>Claims go on where the last one ended, so that they walk neither over rows that are gone and
 * not yet vacuumed nor over rows that a neighbour has locked. It is a hint: transactions commit out
 * of order, so about once a second a claim looks from the start; much less often while that takes
 * long, because an old transaction keeps everything that is gone from being vacuumed: such a look
 * reads all of it, and leaves little else in the server's buffers.
 */
public final class ClaimCursor {

  static final Duration MIN_RESCAN_INTERVAL = Duration.ofSeconds(1);
  static final Duration MAX_RESCAN_INTERVAL = Duration.ofSeconds(30);

  /** How many times as long as a look from the start took it takes to the next one. */
  static final int RESCAN_REST = 50;

  /** How much later a message may commit than one that is due after it. */
  static final Duration OVERLAP = Duration.ofMillis(100);

  static final Instant START = Instant.EPOCH;

  private final LongSupplier clock;
  private final AtomicBoolean rescanning = new AtomicBoolean();
  private volatile long lastRescan;
  private volatile long rescanInterval = MIN_RESCAN_INTERVAL.toNanos();
  private volatile Instant position = START;
  private volatile int lane = -1;

  public ClaimCursor() {
    this(System::nanoTime);
  }

  /**
   * @param clock nanoseconds since some time or other
   */
  public ClaimCursor(LongSupplier clock) {
    this.clock = clock;
    this.lastRescan = clock.getAsLong();
  }

  /** From which due time on to look. */
  Instant from() {
    boolean isDue = clock.getAsLong() - lastRescan > rescanInterval;
    return isDue && rescanning.compareAndSet(false, true) ? START : position;
  }

  /** A look from there has ended, and took so long. */
  void looked(Instant from, Duration time) {
    if (from.equals(START)) {
      lastRescan = clock.getAsLong();
      rescanning.set(false);
      long rest = RESCAN_REST * time.toNanos();
      rescanInterval =
          Math.max(MIN_RESCAN_INTERVAL.toNanos(), Math.min(MAX_RESCAN_INTERVAL.toNanos(), rest));
    }
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
