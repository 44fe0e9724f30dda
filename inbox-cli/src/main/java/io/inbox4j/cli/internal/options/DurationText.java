package io.inbox4j.cli.internal.options;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Durations in human-readable form: {@code 90s}, {@code 2h}, {@code 7d}. */
public final class DurationText implements CommandLine.ITypeConverter<Duration> {

  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new CommandLine.TypeConversionException(
          "'%s' is no time; expected for example 500ms, 30s, 5m, 2h or 7d".formatted(text));
    }
    Duration time = UNITS.get(form.group(2)).multipliedBy(Long.parseLong(form.group(1)));
    if (time.compareTo(DurationRange.LONGEST) > 0) {
      throw new CommandLine.TypeConversionException(
          "'%s' is longer than anything lasts; expected up to %dd"
              .formatted(text, DurationRange.LONGEST.toDays()));
    }
    return time;
  }

  /** Formats the two largest units: {@code 2h 5m}; a dash for none. */
  public static String of(@Nullable Duration time) {
    if (time == null) {
      return "-";
    }
    if (time.compareTo(Duration.ofSeconds(1)) < 0) {
      return time.toMillis() + "ms";
    }
    if (time.compareTo(Duration.ofMinutes(1)) < 0) {
      return time.toSeconds() + "s";
    }
    if (time.compareTo(Duration.ofHours(1)) < 0) {
      return "%dm %ds".formatted(time.toMinutes(), time.toSecondsPart());
    }
    if (time.compareTo(Duration.ofDays(1)) < 0) {
      return "%dh %dm".formatted(time.toHours(), time.toMinutesPart());
    }
    return "%dd %dh".formatted(time.toDays(), time.toHoursPart());
  }
}
