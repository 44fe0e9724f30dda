package io.inbox4j.operations;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long messages that are done with are kept. Immutable.
 *
 * <p>A message is done with when it was processed, or discarded after it had died. Pending, dead
 * and quarantined messages are never removed, however old they are.
 *
 * <p>Ages count from the time when a message was processed or discarded, by the database's clock,
 * and are minimums: what is removed as a whole partition goes up to a day later.
 *
 * @param keep how long a message is kept with its body, or null for ever
 * @param dedupWindow how long its identity is kept, so that a repeated delivery is a duplicate
 * @param archive how long it stays in the archive after that, or null for no archive
 * @param history how long it is known who replayed and discarded what, or null for ever
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
            "messages are kept for ever, so nothing else has an end; expected Retention.days(…)");
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

  /** 7 days, with a dedup window of the same, no archive, and the whole history. */
  public static Retention ofDefaults() {
    return days(7);
  }

  /** Keeps messages for this many days, and their identities as long. */
  public static Retention days(int days) {
    return of(Duration.ofDays(days));
  }

  /** Keeps messages for this time, and their identities as long. */
  public static Retention of(Duration keep) {
    return new Retention(keep, null, null, null);
  }

  /** Removes nothing. */
  public static Retention forever() {
    return new Retention(null, null, null, null);
  }

  /**
   * The same with identities that are kept longer than the messages: a delivery that is repeated
   * within this time is a duplicate. Defaults to as long as messages are kept.
   */
  public Retention dedupWindow(Duration time) {
    return new Retention(keep, time, archive, history);
  }

  /**
   * The same with messages that are moved to the table {@code inbox_archive}, and stay there for
   * this time. Defaults to no archive.
   */
  public Retention archive(Duration time) {
    return new Retention(keep, dedupWindow, time, history);
  }

  /**
   * The same with an end to the record of who replayed and discarded what. Defaults to none: it is
   * small, and somebody may ask.
   */
  public Retention history(Duration time) {
    return new Retention(keep, dedupWindow, archive, time);
  }

  /** What keeps everything for the longer of the two times. */
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

  /** The longer one, where none is for ever. */
  private static @Nullable Duration longer(@Nullable Duration a, @Nullable Duration b) {
    return a == null || b == null ? null : a.compareTo(b) >= 0 ? a : b;
  }

  /** Whether nothing is removed. */
  public boolean isForever() {
    return keep == null;
  }
}
