package io.inbox4j.cli.internal.tables;

import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * How an operator names a message: by its id, or by its place in the quarantine as in {@code q17},
 * because a quarantined delivery may have no id, or an invalid one.
 *
 * @param id the message id, or null
 * @param place the place in the quarantine, or null
 */
public record MessageKey(@Nullable UUID id, @Nullable Long place) {

  private static final Pattern PLACE = Pattern.compile("q(\\d{1,18})");
  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  public static MessageKey parse(String text) {
    Matcher place = PLACE.matcher(text);
    if (place.matches()) {
      return new MessageKey(null, Long.valueOf(place.group(1)));
    }
    if (ID.matcher(text).matches()) {
      return new MessageKey(UUID.fromString(text), null);
    }
    throw new CommandLine.TypeConversionException(
        "'%s' names no message; expected its id, a UUID, or its place in the quarantine, as q17"
            .formatted(text));
  }

  @Override
  public String toString() {
    return id == null ? "q" + place : id.toString();
  }
}
