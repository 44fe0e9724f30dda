package io.inbox4j.internal.limit;

import java.time.Duration;

/**
 * The adaptive size of an endpoint's batches.
 *
 * <p>The batch is as large as fits into a short transaction: it grows while handlers are fast and
 * shrinks while they are slow. It shrinks far less if it is the database that is slow: more and
 * smaller transactions would make it slower still. A segment, the part of a batch that is rolled
 * back when one of its messages fails, is the whole batch while there are no failures, and short
 * while messages fail.
 *
 * <p>Sizes are powers of two up to the limit: the size is part of the claim's SQL, and few
 * statements stay prepared.
 */
public final class AdaptiveBatchSize {

  /** A segment without a bound: the whole batch. */
  public static final int WHOLE = Integer.MAX_VALUE;

  static final int FIRST_BATCH = 8;
  static final Duration TARGET = Duration.ofMillis(50);

  /** Time in the database counts less by this factor. */
  static final int DATABASE_SHARE = 20;

  private static final int SHORT_SEGMENT = 16;
  private static final int CLEAN_BATCHES_TO_GROW = 8;
  private static final int WARY_BATCHES = 64;

  private final int maxBatch;
  private int batch;
  private int segment;
  private int cleanBatches;
  private int wary;

  public AdaptiveBatchSize(int maxBatch) {
    this.maxBatch = maxBatch;
    this.batch = Math.min(maxBatch, FIRST_BATCH);
    this.segment = WHOLE;
  }

  /** How many messages to claim. */
  public synchronized int batch() {
    return batch;
  }

  /** How many messages to run per savepoint. */
  public synchronized int segment() {
    return segment;
  }

  /**
   * Records that the handlers of this many messages took this long, with or without a failure. The
   * commit is excluded: it takes the same time however small the batch is.
   *
   * @param inDatabase how much of the time they waited for the database
   */
  public synchronized void took(int messages, Duration total, Duration inDatabase, boolean failed) {
    if (messages == 0) {
      return;
    }
    Duration time = total.minus(inDatabase).plus(inDatabase.dividedBy(DATABASE_SHARE));
    if (time.compareTo(TARGET) > 0) {
      long fitting = messages * TARGET.toNanos() / time.toNanos();
      batch = Math.min(batch, Math.max(1, Integer.highestOneBit((int) fitting)));
    } else if (messages == batch && time.compareTo(TARGET.dividedBy(2)) < 0) {
      batch = Math.min(maxBatch, batch * 2);
    }
    wary = Math.max(0, wary - 1);
    adaptSegment(failed);
  }

  /**
   * Records that a batch was abandoned, perhaps because it took too long.
   *
   * @param byAMessage whether the database refused to commit what a handler did
   */
  public synchronized void gaveUp(boolean byAMessage) {
    batch = Math.max(1, Integer.highestOneBit(batch) / 4);
    wary = byAMessage ? WARY_BATCHES : wary;
  }

  /** Whether to check deferred constraints before the commit. */
  public synchronized boolean isWary() {
    return wary > 0;
  }

  private void adaptSegment(boolean failed) {
    if (failed) {
      segment = SHORT_SEGMENT;
      cleanBatches = 0;
    } else if (segment != WHOLE && ++cleanBatches >= CLEAN_BATCHES_TO_GROW) {
      cleanBatches = 0;
      segment = segment >= maxBatch ? WHOLE : segment * 2;
    }
  }
}
