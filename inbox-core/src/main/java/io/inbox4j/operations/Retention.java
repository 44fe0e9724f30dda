package io.inbox4j.operations;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The retention of messages that are processed or discarded: how long they are kept. Immutable.
 *
 * <p>Pending, dead and quarantined messages are never removed, however old they are.
 *
 * <p>Ages count from the time when a message was processed or discarded, by the database's clock,
 * and are minimums: messages that are removed with a whole partition are kept up to a day longer.
 *
 * @param keep how long a message is kept with its body, or null to keep it forever
 * @param dedupWindow how long its identity is kept, so that a repeated delivery is a duplicate
 * @param archive how long it stays in the archive after that, or null for no archive
 * @param history how long the record of who replayed and discarded what is kept, or null to keep it
 *     forever
 */
public record Retention(
    @Nullable Duration keep,
    @Nullable Duration dedupWindow,
    @Nullable Duration archive,
    @Nullable Duration history) {

  private static final DurationRange TIMES =
      new DurationRange(Duration.ofHours(1), DurationRange.LONGEST);

  public Retention {
    if (keep == null) {
      if (dedupWindow != null || archive != null || history != null) {
        throw new IllegalArgumentException(
            "messages are kept forever, so nothing else has an end; expected Retention.days(…)");
      }
    } else {
      TIMES.check("the retention", keep);
      dedupWindow = dedupWindow == null ? keep : dedupWindow;
      TIMES.check("the dedup window", dedupWindow);
      requireAtLeast("dedup window", dedupWindow, "that messages are kept", keep);
    }
    if (archive != null) {
      TIMES.check("the age limit of the archive", archive);
    }
    if (history != null && dedupWindow != null) {
      TIMES.check("the age limit of the history", history);
      requireAtLeast("age limit of the history", history, "of the dedup window", dedupWindow);
    }
  }

  private static void requireAtLeast(String name, Duration value, String of, Duration least) {
    if (value.compareTo(least) < 0) {
      throw new IllegalArgumentException(
          "the %s is %s; expected at least the %s %s".formatted(name, value, least, of));
    }
  }

  /**
   * Keeps messages for 7 days, with a dedup window of 7 days, no archive, and the whole history.
   */
  public static Retention ofDefaults() {
    return days(7);
  }

  /** Keeps messages and their identities for this many days. */
  public static Retention days(int days) {
    return of(Duration.ofDays(days));
  }

  /** Keeps messages and their identities for this time. */
  public static Retention of(Duration keep) {
    return new Retention(keep, null, null, null);
  }

  /** Removes nothing. */
  public static Retention forever() {
    return new Retention(null, null, null, null);
  }

  /**
   * Returns a copy that keeps identities longer than the messages: a delivery repeated within this
   * time is a duplicate. Defaults to the time for which messages are kept.
   */
  public Retention dedupWindow(Duration time) {
    return new Retention(keep, time, archive, history);
  }

  /**
   * Returns a copy that moves messages to the table {@code inbox_archive} and keeps them there for
   * this time. Defaults to no archive.
   */
  public Retention archive(Duration time) {
    return new Retention(keep, dedupWindow, time, history);
  }

  /**
   * Returns a copy that limits how long the record of who replayed and discarded what is kept.
   * Defaults to no limit: it is small, and may be needed for an audit.
   */
  public Retention history(Duration time) {
    return new Retention(keep, dedupWindow, archive, time);
  }

  /** Returns a retention that keeps everything for the longer of the two times. */
  public Retention orLonger(Retention other) {
    if (isForever() || other.isForever()) {
      return forever();
    }
    return new Retention(
        longer(keep, other.keep),
        longer(dedupWindow, other.dedupWindow),
        archive == null || other.archive == null
            ? (archive == null ? other.archive : archive)
            : longer(archive, other.archive),
        longer(history, other.history));
  }

  /** The longer of two durations, where null means forever. */
  private static @Nullable Duration longer(@Nullable Duration a, @Nullable Duration b) {
    return a == null || b == null ? null : a.compareTo(b) >= 0 ? a : b;
  }

  /** Whether nothing is removed. */
  public boolean isForever() {
    return keep == null;
  }
}
