package io.inbox4j;

import io.inbox4j.event.EventReader;
import io.inbox4j.event.EventTypes;
import io.inbox4j.handler.EventDispatcher;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.processor.HandlingMode;
import io.inbox4j.processor.WhenDead;
import io.inbox4j.processor.Workload;
import io.inbox4j.receive.MessageIdSource;
import io.inbox4j.receive.internal.DeliveryCheck;
import io.inbox4j.receive.internal.OrderingKey;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Binding;
import io.inbox4j.transport.ReceiveEndpoint;
import io.inbox4j.transport.Topology;
import java.util.List;
import java.util.Map;

/** A queue that is subscribed, as it was built. */
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
    OrderingKey orderingKey,
    WhenDead whenDead,
    SubscriptionOptions<?> options) {

  boolean hasHandlers() {
    return !dispatcher.events().isEmpty();
  }

  DeliveryCheck check(EventReader reader) {
    return new DeliveryCheck(types, messageIdSource, options.limits, orderingKey, reader);
  }

  ReceiveEndpoint endpoint() {
    return new ReceiveEndpoint(
        queue, topology, bindings, options.consumers, options.prefetch, options.batchSize);
  }

  Workload workload() {
    return new Workload(
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
        !(orderingKey instanceof OrderingKey.None),
        whenDead,
        options.pollInterval);
  }

  /** The line that the log shows at the start. */
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
