package io.inbox4j.handler;

import io.inbox4j.IntegrationEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Brings an event to the handler of its class.
 *
 * <p>Immutable and thread-safe. The builder of a subscription makes one from its handlers; tests
 * can use one alone.
 */
public final class EventDispatcher {

  private final Map<Class<? extends IntegrationEvent>, EventHandler<?>> handlers;

  private EventDispatcher(Map<Class<? extends IntegrationEvent>, EventHandler<?>> handlers) {
    this.handlers = Map.copyOf(handlers);
  }

  /** A builder without handlers. */
  public static Builder builder() {
    return new Builder();
  }

  /** The classes that have a handler. */
  public Set<Class<? extends IntegrationEvent>> events() {
    return handlers.keySet();
  }

  /**
   * Calls the handler of the event's class.
   *
   * @throws IllegalArgumentException if there is none; the message says which classes have one
   * @throws Exception what the handler throws
   */
  public <T extends IntegrationEvent> void dispatch(T event, EventContext context)
      throws Exception {
    handlerOf(event).handle(event, context);
  }

  @SuppressWarnings("unchecked") // on() puts a handler of T at the class of T only
  private <T extends IntegrationEvent> EventHandler<T> handlerOf(T event) {
    EventHandler<?> handler = handlers.get(event.getClass());
    if (handler == null) {
      throw new IllegalArgumentException(
          "no handler for %s; there are handlers for: %s"
              .formatted(event.getClass().getName(), names()));
    }
    return (EventHandler<T>) handler;
  }

  private String names() {
    return handlers.keySet().stream()
        .map(Class::getName)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  /** Collects handlers. */
  public static final class Builder {

    private final Map<Class<? extends IntegrationEvent>, EventHandler<?>> handlers =
        new LinkedHashMap<>();

    private Builder() {}

    /**
     * Sends events of this class to this handler.
     *
     * @throws IllegalArgumentException if the class has a handler already
     */
    public <T extends IntegrationEvent> Builder on(
        Class<T> event, EventHandler<? super T> handler) {
      if (handlers.putIfAbsent(event, handler) != null) {
        throw new IllegalArgumentException(
            "%s has a handler already; one class has one handler".formatted(event.getName()));
      }
      return this;
    }

    public EventDispatcher build() {
      return new EventDispatcher(handlers);
    }
  }
}
