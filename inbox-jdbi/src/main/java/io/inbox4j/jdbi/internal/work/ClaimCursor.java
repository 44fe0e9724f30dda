package io.inbox4j.jdbi.internal.work;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The position at which the next claim of an endpoint starts.
 *
 * <p>Claims continue where the last one ended, so that they scan neither dead rows that are not
 * vacuumed yet nor rows that another worker has locked. The position is a hint: transactions commit
 * out of order, so about once a second a claim scans from the start. It does so much less often
 * while that takes long, because an old transaction keeps dead rows from being vacuumed: such a
 * scan reads all of them and displaces nearly everything else from the server's buffers.
 */
public final class ClaimCursor {

  static final Duration MIN_RESCAN_INTERVAL = Duration.ofSeconds(1);
  static final Duration MAX_RESCAN_INTERVAL = Duration.ofSeconds(30);

  /** The interval between two scans from the start, as a multiple of how long the last one took. */
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
   * @param clock nanoseconds since an arbitrary origin
   */
  public ClaimCursor(LongSupplier clock) {
    this.clock = clock;
    this.lastRescan = clock.getAsLong();
  }

  /** The due time to scan from. */
  Instant from() {
    boolean isDue = clock.getAsLong() - lastRescan > rescanInterval;
    return isDue && rescanning.compareAndSet(false, true) ? START : position;
  }

  /** Records that a scan from this due time has ended, and how long it took. */
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

  /** Records the lane that a claim is about to use. */
  void lane(int used) {
    lane = used;
  }

  /** Records the due time at which a claim ended; it was full if there may be more. */
  void claimed(Instant lastDue, boolean full) {
    position = full ? lastDue : lastDue.minus(OVERLAP);
  }
}
