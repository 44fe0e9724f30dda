package io.inbox4j.listener;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The health of an inbox, component by component, as this process sees it.
 *
 * @param status the worst status of all components
 * @param parts all components, including the healthy ones
 */
public record Health(Status status, List<Part> parts) {

  /** The status of a component, from best to worst. */
  public enum Status {
    /** Works as it should. */
    UP,
    /** Works, but needs attention. */
    DEGRADED,
    /** Does not work. */
    DOWN
  }

  /**
   * One component of the inbox.
   *
   * @param name the component: {@code database}, {@code broker}, {@code lag} …
   * @param endpoint the queue that it concerns, or null if it concerns all of them
   * @param status its status
   * @param detail what was observed, with values; never a payload or a password
   * @param since when the status last changed, by the clock of this process, because it must be
   *     known while the database is unreachable
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

  /** The health of an inbox that has these components. */
  public static Health of(List<Part> parts) {
    return new Health(
        parts.stream().map(Part::status).max(Comparator.naturalOrder()).orElse(Status.UP), parts);
  }

  /** Whether every component is up. */
  public boolean isUp() {
    return status == Status.UP;
  }

  /** The component of this name that concerns all endpoints. */
  public Optional<Part> part(String name) {
    return parts.stream()
        .filter(part -> part.name.equals(name) && part.endpoint == null)
        .findFirst();
  }

  /** The component of this name that concerns this endpoint. */
  public Optional<Part> part(String name, String endpoint) {
    return parts.stream()
        .filter(part -> part.name.equals(name) && endpoint.equals(part.endpoint))
        .findFirst();
  }

  /** A human-readable table: one line for the overall status and one per component. */
  @Override
  public String toString() {
    return parts.stream()
        .map(part -> "\n  " + part)
        .collect(Collectors.joining("", "The inbox is " + status, ""));
  }
}
