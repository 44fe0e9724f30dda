package io.inbox4j.examples.demo;

import java.util.Locale;

/**
 * How far the demo is at one moment.
 *
 * @param nanos when that was
 * @param tookNanos how long it took to find out
 */
record Snapshot(
    long nanos,
    long tookNanos,
    long published,
    long received,
    long duplicates,
    long quarantined,
    DemoDatabase.Progress progress) {

  static Snapshot of(
      long begin, long published, Receipts receipts, DemoDatabase.Progress progress) {
    return new Snapshot(
        System.nanoTime(),
        System.nanoTime() - begin,
        published,
        receipts.received(),
        receipts.duplicates(),
        receipts.quarantined(),
        progress);
  }

  /** Whether anything happened since. */
  boolean isBeyond(Snapshot earlier) {
    return published != earlier.published
        || received != earlier.received
        || duplicates != earlier.duplicates
        || quarantined != earlier.quarantined
        || progress.pending() != earlier.progress.pending()
        || progress.retried() != earlier.progress.retried();
  }

  /** Whether all that was to be published has been received and has come to its end. */
  boolean isComplete(OrderPlan plan) {
    return published == plan.copies()
        && received + duplicates + quarantined >= plan.copies()
        && progress.pending() == 0;
  }

  /** As a line, with the rate since an earlier moment. */
  String line(Snapshot earlier) {
    double seconds = Math.max(1e-3, (nanos - earlier.nanos) / 1e9);
    double rate = (progress.processed() - earlier.progress.processed()) / seconds;
    return String.format(
        Locale.ROOT,
        "published %,d  received %,d  duplicates %,d  processed %,d  retried %,d  dead %,d"
            + "  quarantined %,d  %,.0f/s  lag %.1f s",
        published,
        received,
        duplicates,
        progress.processed(),
        progress.retried(),
        progress.dead(),
        quarantined,
        rate,
        progress.lagSeconds());
  }
}
