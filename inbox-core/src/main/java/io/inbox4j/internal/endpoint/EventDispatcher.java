package io.inbox4j.internal.endpoint;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches an event to the handler of its class.
 *
 * <p>Immutable and thread-safe. A subscription builds one from its handlers; tests can use one on
 * its own.
 */
public final class EventDispatcher {

  private final Map<Class<? extends IntegrationEvent>, EventHandler<?>> handlers;
  private final Map<Class<? extends IntegrationEvent>, BatchHandler<?>> batchHandlers;

  private EventDispatcher(Builder builder) {
    this.handlers = Map.copyOf(builder.handlers);
    this.batchHandlers = Map.copyOf(builder.batchHandlers);
  }

  /** A builder without handlers. */
  public static Builder builder() {
    return new Builder();
  }

  /** The classes that have a handler. */
  public Set<Class<? extends IntegrationEvent>> events() {
    Set<Class<? extends IntegrationEvent>> all = new HashSet<>(handlers.keySet());
    all.addAll(batchHandlers.keySet());
    return all;
  }

  /** Whether any class has a batch handler. */
  public boolean hasBatchHandlers() {
    return !batchHandlers.isEmpty();
  }

  /** The batch handler of this class, or null if its events are handled one by one. */
  public @Nullable BatchHandler<?> batchHandlerOf(Class<? extends IntegrationEvent> event) {
    return batchHandlers.get(event);
  }

  /**
   * Calls the handler of the event's class.
   *
   * @throws IllegalArgumentException if there is none; the message lists the classes that have one
   * @throws Exception what the handler throws
   */
  public <T extends IntegrationEvent> void dispatch(T event, EventContext context)
      throws Exception {
    handlerOf(event).handle(event, context);
  }

  @SuppressWarnings("unchecked") // on() registers a handler of T for the class of T only
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
    return events().stream().map(Class::getName).sorted().collect(Collectors.joining(", "));
  }

  /** Builds a dispatcher from handlers. */
  public static final class Builder {

    private final Map<Class<? extends IntegrationEvent>, EventHandler<?>> handlers =
        new LinkedHashMap<>();
    private final Map<Class<? extends IntegrationEvent>, BatchHandler<?>> batchHandlers =
        new LinkedHashMap<>();

    private Builder() {}

    /**
     * Sends events of this class to this handler.
     *
     * @throws IllegalArgumentException if the class has a handler already
     */
    public <T extends IntegrationEvent> Builder on(
        Class<T> event, EventHandler<? super T> handler) {
      refuseSecond(event);
      handlers.put(event, handler);
      return this;
    }

    /**
     * Dispatches events of this class to this handler, in batches.
     *
     * @throws IllegalArgumentException if the class has a handler already
     */
    public <T extends IntegrationEvent> Builder onBatch(
        Class<T> event, BatchHandler<? super T> handler) {
      refuseSecond(event);
      batchHandlers.put(event, handler);
      return this;
    }

    private void refuseSecond(Class<? extends IntegrationEvent> event) {
      if (handlers.containsKey(event) || batchHandlers.containsKey(event)) {
        throw new IllegalArgumentException(
            "%s has a handler already; one class has one handler".formatted(event.getName()));
      }
    }

    public EventDispatcher build() {
      return new EventDispatcher(this);
    }
  }
}
