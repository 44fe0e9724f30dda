package io.inbox4j.jdbi.internal.retain;

import io.inbox4j.operations.RetentionReport;
import java.time.Duration;

/** The running totals of a run of the retention job. */
final class RetentionTotals {

  private final long began = System.nanoTime();
  long removed;
  long emptied;
  long archived;
  long expired;
  long forgotten;
  int partitionsDropped;

  RetentionReport report() {
    return new RetentionReport(
        true,
        removed,
        emptied,
        archived,
        expired,
        forgotten,
        partitionsDropped,
        Duration.ofNanos(System.nanoTime() - began));
  }
}
