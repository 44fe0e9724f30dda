package io.inbox4j.listener;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an inbox is, part by part, as this process sees it.
 *
 * @param status the worst status of all parts
 * @param parts the parts, those that are well too
 */
public record Health(Status status, List<Part> parts) {

  /** How a part is, from the best to the worst. */
  public enum Status {
    /** As it should be. */
    UP,
    /** It works, but somebody should look. */
    DEGRADED,
    /** It does not work. */
    DOWN
  }

  /**
   * One part.
   *
   * @param name what it is: {@code database}, {@code broker}, {@code lag} …
   * @param endpoint the queue that it is about, or null if it is about all
   * @param status how it is
   * @param detail what was seen, with its values; never a payload or a password
   * @param since when its status last changed, by the clock of this process: it must be known while
   *     the database is away
   */
  public record Part(
      String name, @Nullable String endpoint, Status status, String detail, Instant since) {

    @Override
    public String toString() {
      return "%-8s %-12s %s%s (since %s)"
          .formatted(status, name, endpoint == null ? "" : endpoint + ": ", detail, since);
    }
  }

  public Health {
    parts = List.copyOf(parts);
  }

  /** The health of a whole that has these parts. */
  public static Health of(List<Part> parts) {
    return new Health(
        parts.stream().map(Part::status).max(Comparator.naturalOrder()).orElse(Status.UP), parts);
  }

  /** Whether all parts are as they should be. */
  public boolean isUp() {
    return status == Status.UP;
  }

  /** The part of this name that is about all endpoints. */
  public Optional<Part> part(String name) {
    return parts.stream()
        .filter(part -> part.name.equals(name) && part.endpoint == null)
        .findFirst();
  }

  /** The part of this name that is about this endpoint. */
  public Optional<Part> part(String name, String endpoint) {
    return parts.stream()
        .filter(part -> part.name.equals(name) && endpoint.equals(part.endpoint))
        .findFirst();
  }

  /** A table for people: one line for the whole and one for every part. */
  @Override
  public String toString() {
    return parts.stream()
        .map(part -> "\n  " + part)
        .collect(Collectors.joining("", "The inbox is " + status, ""));
  }
}
