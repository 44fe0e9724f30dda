package io.inbox4j.internal;

import java.time.Duration;
import java.util.Locale;

/**
 * The range of durations that an option accepts. The maximum of every range can be expressed in
 * nanoseconds and is understood by all servers.
 */
public record DurationRange(Duration min, Duration max) {

  /** The longest duration that any option accepts: a hundred years. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  /** From zero to a hundred years. */
  public static final DurationRange ANY = new DurationRange(Duration.ZERO, LONGEST);

  /** From one millisecond to this maximum. */
  public static DurationRange upTo(Duration max) {
    return new DurationRange(Duration.ofMillis(1), max);
  }

  /**
   * Returns the value if it is in the range.
   *
   * @param option the option's name in the error message
   * @throws IllegalArgumentException if the value is not in the range
   */
  public Duration check(String option, Duration value) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException("%s is %s; expected %s".formatted(option, value, this));
    }
    return value;
  }

  @Override
  public String toString() {
    return text(min) + " to " + text(max);
  }

  /** Formats a duration in the largest unit of which it is a multiple. */
  private static String text(Duration time) {
    if (time.isZero()) {
      return "zero";
    }
    if (time.toMillisPart() > 0) {
      return count(time.toMillis(), "ms");
    }
    if (time.toSecondsPart() > 0) {
      return count(time.toSeconds(), "s");
    }
    if (time.toMinutesPart() > 0) {
      return count(time.toMinutes(), "min");
    }
    return time.toHoursPart() > 0
        ? count(time.toHours(), time.toHours() == 1 ? "hour" : "hours")
        : count(time.toDays(), time.toDays() == 1 ? "day" : "days");
  }

  private static String count(long number, String unit) {
    return String.format(Locale.ROOT, "%,d %s", number, unit);
  }
}
