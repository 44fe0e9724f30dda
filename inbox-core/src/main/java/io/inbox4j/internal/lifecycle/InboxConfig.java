package io.inbox4j.internal.lifecycle;

import io.inbox4j.format.EventReader;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.internal.receive.DeliveryValidator;
import io.inbox4j.operations.Retention;
import io.inbox4j.publish.WhenUnroutable;
import io.inbox4j.store.InboxStore;
import io.inbox4j.transport.InboxTransport;
import io.inbox4j.transport.ReceiveMiddleware;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The immutable configuration of an inbox.
 *
 * @param transport where deliveries come from, or null if nothing is received here
 * @param reader reads the bodies of all endpoints
 * @param writer writes what is published
 * @param whenUnroutable what happens to a message for which the broker has no queue
 * @param receiveMiddleware the middleware around the storing of deliveries, outermost first
 * @param failures logs the failures of handlers, middleware and listeners
 * @param maxConcurrency the maximum number of handlers that run concurrently across all endpoints,
 *     or null for no limit
 * @param maxTransactionAge the age up to which an open transaction is considered healthy
 * @param closeDeadline how long work in flight may take when the inbox is closed
 * @param process the name of this process
 */
public record InboxConfig(
    InboxStore store,
    @Nullable InboxTransport transport,
    List<EndpointConfig> endpoints,
    EventReader reader,
    MessageWriter writer,
    WhenUnroutable whenUnroutable,
    List<ReceiveMiddleware> receiveMiddleware,
    SafeListener listener,
    FailureLog failures,
    @Nullable Integer maxConcurrency,
    Duration maxTransactionAge,
    Retention retention,
    Duration closeDeadline,
    String process) {

  public InboxConfig {
    endpoints = List.copyOf(endpoints);
    receiveMiddleware = List.copyOf(receiveMiddleware);
  }

  /** The endpoints of which at least one event type is handled here. */
  public List<EndpointConfig> handled() {
    return endpoints.stream().filter(EndpointConfig::hasHandlers).toList();
  }

  /** The names of the handled endpoints. */
  public Set<String> handledNames() {
    return handled().stream().map(EndpointConfig::endpoint).collect(Collectors.toSet());
  }

  /** Five times the shortest poll interval of the endpoints, but 0.5 to 5 seconds. */
  public Duration upkeepInterval() {
    long shortest =
        endpoints.stream().mapToLong(it -> it.pollInterval().toMillis()).min().orElse(5_000);
    return Duration.ofMillis(Math.max(500, Math.min(5_000, 5 * shortest)));
  }

  /** A validator of deliveries for every endpoint, by name. */
  public Map<String, DeliveryValidator> validators() {
    return endpoints.stream()
        .collect(
            Collectors.toUnmodifiableMap(EndpointConfig::endpoint, it -> it.validator(reader)));
  }
}
