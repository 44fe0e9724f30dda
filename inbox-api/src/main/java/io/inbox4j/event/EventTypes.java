package io.inbox4j.event;

import io.inbox4j.IntegrationEvent;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The event types that an endpoint knows, by name.
 *
 * <p>Only these can come from the wire: no class is ever looked up by a name that a message
 * carries.
 *
 * @param <T> what all of them are
 */
public final class EventTypes<T extends IntegrationEvent> {

  private final Map<String, Class<? extends T>> byName;

  private EventTypes(Map<String, Class<? extends T>> byName) {
    this.byName = Map.copyOf(byName);
  }

  /**
   * The types of these classes.
   *
   * @throws IllegalArgumentException if one is abstract, or two have the same name
   */
  public static <T extends IntegrationEvent> EventTypes<T> of(List<Class<? extends T>> events) {
    Map<String, Class<? extends T>> byName = new LinkedHashMap<>();
    for (Class<? extends T> event : events) {
      if (event.isInterface() || Modifier.isAbstract(event.getModifiers())) {
        throw new IllegalArgumentException(
            "%s is abstract; expected a record or class that implements IntegrationEvent"
                .formatted(event.getName()));
      }
      String name = EventNames.of(event);
      Class<?> other = byName.put(name, event);
      if (other != null && other != event) {
        throw new IllegalArgumentException(
            "%s and %s have the same event type '%s'; give one of them another @EventType"
                .formatted(other.getName(), event.getName(), name));
      }
    }
    return new EventTypes<>(byName);
  }

  /** The class of this name, or null if the endpoint does not know it. */
  public @Nullable Class<? extends T> find(String name) {
    return byName.get(name);
  }

  /** All names. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** The only name there is, or null if there are several. */
  public @Nullable String only() {
    return byName.size() == 1 ? byName.keySet().iterator().next() : null;
  }

  /** The names with their classes, for people: {@code order-created (OrderCreated)}. */
  @Override
  public String toString() {
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + " (" + entry.getValue().getSimpleName() + ")")
        .collect(Collectors.joining(", "));
  }
}
