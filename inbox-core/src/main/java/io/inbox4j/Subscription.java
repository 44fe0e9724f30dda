package io.inbox4j;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.EventDispatcher;
import io.inbox4j.internal.endpoint.HandlingMode;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.internal.receive.OrderingKeySource;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.retry.WhenDead;
import io.inbox4j.transport.Binding;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.util.List;
import java.util.Map;

/** An immutable subscription to a queue, as the builder made it. */
record Subscription(
    String queue,
    EventTypes<IntegrationEvent> types,
    EventDispatcher dispatcher,
    List<EventMiddleware> middleware,
    Map<Class<? extends IntegrationEvent>, RetryPolicy> retryByEvent,
    Map<Class<? extends IntegrationEvent>, Integer> concurrencyByEvent,
    HandlingMode mode,
    List<Binding> bindings,
    Topology topology,
    MessageIdSource messageIdSource,
    OrderingKeySource orderingKey,
    WhenDead whenDead,
    SubscriptionOptions<?> options) {

  boolean hasHandlers() {
    return !dispatcher.events().isEmpty();
  }

  DeliveryValidator check(EventReader reader) {
    return new DeliveryValidator(types, messageIdSource, options.limits, orderingKey, reader);
  }

  ReceiveEndpoint endpoint() {
    return new ReceiveEndpoint(
        queue, topology, bindings, options.consumers, options.prefetch, options.batchSize);
  }

  EndpointConfig config() {
    return new EndpointConfig(
        queue,
        types.only(dispatcher.events()),
        dispatcher,
        middleware,
        options.retry,
        retryByEvent,
        concurrencyByEvent,
        options.breaker,
        mode,
        options.concurrency,
        options.batchSize,
        options.isolated,
        !(orderingKey instanceof OrderingKeySource.None),
        whenDead,
        options.pollInterval);
  }

  /** The summary that is logged at the start. */
  @Override
  public String toString() {
    return "%s [%s], %s, %d consumers × prefetch %d, %d %s × batch %d, %s"
        .formatted(
            queue,
            types,
            topology.kind(),
            options.consumers,
            options.prefetch,
            options.concurrency,
            mode instanceof HandlingMode.Leased ? "leased handlers" : "workers",
            options.batchSize,
            options.retry);
  }
}
