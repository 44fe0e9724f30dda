package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The event types that an endpoint knows, by name.
 *
 * <p>Only these can be read from the wire: no class is ever looked up by a name in a message.
 *
 * @param <T> the common base type
 */
public final class EventTypes<T extends IntegrationEvent> {

  private final Map<String, KnownType<T>> byName;

  private EventTypes(Map<String, KnownType<T>> byName) {
    this.byName = Map.copyOf(byName);
  }

  /**
   * The name of an event's type.
   *
   * @throws IllegalArgumentException if its {@link io.inbox4j.event.EventType} is not valid
   */
  public static String nameOf(Class<? extends IntegrationEvent> event) {
    return EventNames.of(event);
  }

  /** Returns a builder. */
  public static <T extends IntegrationEvent> Builder<T> builder() {
    return new Builder<>();
  }

  /** The types of these classes. */
  public static <T extends IntegrationEvent> EventTypes<T> of(List<Class<? extends T>> events) {
    Builder<T> builder = builder();
    events.forEach(builder::add);
    return builder.build();
  }

  /** Returns a copy with only the types that are read as one of these classes. */
  public EventTypes<T> only(Set<? extends Class<?>> events) {
    return new EventTypes<>(
        byName.entrySet().stream()
            .filter(entry -> events.contains(entry.getValue().event()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** The type with this name, or null if the endpoint does not know it. */
  public @Nullable KnownType<T> find(String name) {
    return byName.get(name);
  }

  /** All names. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** The name of the only class, or null if there are several. */
  public @Nullable String onlyName() {
    Set<? extends Class<? extends T>> events =
        byName.values().stream().map(KnownType::event).collect(Collectors.toSet());
    return events.size() == 1 ? EventNames.of(events.iterator().next()) : null;
  }

  /** The names with their classes, for display: {@code order-created (OrderCreated)}. */
  @Override
  public String toString() {
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + " (" + entry.getValue().event().getSimpleName() + ")")
        .collect(Collectors.joining(", "));
  }

  /** Builds {@link EventTypes}; every name is unique. */
  public static final class Builder<T extends IntegrationEvent> {

    private final Map<String, KnownType<T>> byName = new LinkedHashMap<>();

    private Builder() {}

    /**
     * Adds a class under its name and its aliases.
     *
     * @throws IllegalArgumentException if it is abstract, or a name is already taken by another
     *     type
     */
    public Builder<T> add(Class<? extends T> event) {
      for (String name : EventNames.allOf(SealedFamily.concrete(event))) {
        put(name, new KnownType<>(event, null));
      }
      return this;
    }

    /** Adds the name of an old version of the class, whose JSON is upcast before it is read. */
    public Builder<T> add(
        String oldName, Class<? extends T> event, UnaryOperator<ObjectNode> upcaster) {
      put(EventNames.check(oldName, event), new KnownType<>(event, upcaster));
      return this;
    }

    private void put(String name, KnownType<T> type) {
      KnownType<T> other = byName.putIfAbsent(name, type);
      if (other != null && !other.equals(type)) {
        throw new IllegalArgumentException(
            "%s and %s have the same event type '%s'; give one of them another @EventType"
                .formatted(other.event().getName(), type.event().getName(), name));
      }
    }

    public EventTypes<T> build() {
      return new EventTypes<>(byName);
    }
  }
}
