package io.inbox4j.operations;

import java.time.Duration;

/**
 * What a run of the janitor has done.
 *
 * @param ran whether it ran; if not, another process was at it and nothing was done here
 * @param removed messages that are gone, with their identities
 * @param emptied messages that lost their bodies and keep their identities for the dedup window
 * @param archived messages that were moved to the archive, on the way to either
 * @param expired messages that left the archive, but for those of dropped partitions
 * @param forgotten records of who replayed or discarded what
 * @param partitionsDropped partitions that were dropped as a whole
 * @param took how long it took
 */
public record RetentionReport(
    boolean ran,
    long removed,
    long emptied,
    long archived,
    long expired,
    long forgotten,
    int partitionsDropped,
    Duration took) {

  /** The report of who found that another process is at it. */
  public static RetentionReport elsewhere() {
    return new RetentionReport(false, 0, 0, 0, 0, 0, 0, Duration.ZERO);
  }

  /** Whether anything was changed. */
  public boolean hasChanges() {
    return removed + emptied + archived + expired + forgotten + partitionsDropped > 0;
  }
}
