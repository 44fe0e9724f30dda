package io.inbox4j.operations;

import java.time.Duration;

/**
 * The report of a retention run.
 *
 * @param ran whether it ran; if not, a run was active in another process and nothing was done here
 * @param removed messages that were removed, with their identities
 * @param emptied messages that lost their bodies and keep their identities for the dedup window
 * @param archived messages that were moved to the archive before being removed or emptied
 * @param expired messages that left the archive, except those of dropped partitions
 * @param forgotten removed records of who replayed or discarded what
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

  /** The report of a run that was skipped because another process has an active one. */
  public static RetentionReport elsewhere() {
    return new RetentionReport(false, 0, 0, 0, 0, 0, 0, Duration.ZERO);
  }

  /** Whether anything was changed. */
  public boolean hasChanges() {
    return removed + emptied + archived + expired + forgotten + partitionsDropped > 0;
  }
}
