package io.inbox4j.micrometer;

import io.inbox4j.listener.InboxListener;
import io.inbox4j.listener.ObservedInbox;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A listener that records the metrics of an inbox in a registry.
 *
 * <pre>{@code
 * Inbox.builder().listener(InboxMetrics.on(registry))
 * }</pre>
 *
 * <p>Outcomes are counted after their commit, once each, however many attempts it took. Tags are
 * the queues and event types that the inbox was built with and the quarantine reasons; any other
 * type that a message claims is counted as {@code other}. So the number of series is bounded, and
 * nothing that a producer writes gets into one.
 *
 * <p>The backlog is read from the database every {@link #REFRESH}, on a separate thread: a scrape
 * never waits for the database.
 */
public final class InboxMetrics implements InboxListener {

  /** How often the backlog is read. */
  public static final Duration REFRESH = Duration.ofSeconds(5);

  private static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Map<String, EndpointMeters> endpoints = new ConcurrentHashMap<>();
  private final Map<ObservedInbox, BacklogReader> readers = new ConcurrentHashMap<>();

  private InboxMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Creates a listener that records the metrics in this registry. */
  public static InboxMetrics on(MeterRegistry registry) {
    return new InboxMetrics(registry);
  }

  @Override
  public void opened(Opened event) {
    event.inbox().types().forEach((endpoint, types) -> add(endpoint).open(types));
    readers.put(event.inbox(), BacklogReader.start(event.inbox(), endpoints));
  }

  @Override
  public void closed(Closed event) {
    BacklogReader reader = readers.remove(event.inbox());
    if (reader != null) {
      reader.stop();
    }
    event.inbox().types().keySet().forEach(endpoint -> of(endpoint).close());
  }

  @Override
  public void received(Received event) {
    of(event.message()).received.increment();
  }

  @Override
  public void duplicate(Duplicate event) {
    of(event.message()).duplicates.increment();
  }

  @Override
  public void quarantined(Quarantined event) {
    of(event.endpoint()).quarantined(event.reason());
  }

  @Override
  public void processed(Processed event) {
    EventMeters meters = of(event.message());
    meters.processed.increment();
    meters.lag.record(event.lag());
  }

  @Override
  public void retried(Retried event) {
    EventMeters meters = of(event.message());
    meters.failed.increment();
    meters.retried.increment();
  }

  @Override
  public void dead(Dead event) {
    EventMeters meters = of(event.message());
    meters.failed.increment();
    meters.dead.increment();
  }

  @Override
  public void postponed(Postponed event) {
    of(event.message()).postponed.increment();
  }

  @Override
  public void replayed(Replayed event) {
    of(event.message()).replayed.increment();
  }

  @Override
  public void discarded(Discarded event) {
    of(event.message()).discarded.increment();
  }

  @Override
  public void recovered(Recovered event) {
    of(event.message()).recovered.increment();
  }

  @Override
  public void batchStored(BatchStored event) {
    of(event.endpoint()).stored(event.deliveries());
  }

  @Override
  public void batchHandled(BatchHandled event) {
    of(event.endpoint()).handled(event.messages());
  }

  @Override
  public void handled(Handled event) {
    of(event.endpoint()).of(event.type()).handler(event.succeeded()).record(event.time());
  }

  @Override
  public void interrupted(Interrupted event) {
    of(event.endpoint()).interrupted();
  }

  @Override
  public void connected(Connected event) {
    of(event.endpoint()).connected(true);
  }

  @Override
  public void disconnected(Disconnected event) {
    of(event.endpoint()).connected(false);
  }

  @Override
  public void circuitOpened(CircuitOpened event) {
    of(event.endpoint()).circuitOpen(true);
  }

  @Override
  public void circuitClosed(CircuitClosed event) {
    of(event.endpoint()).circuitOpen(false);
  }

  private EventMeters of(Message message) {
    return of(message.endpoint()).of(message.type());
  }

  private EndpointMeters of(String endpoint) {
    EndpointMeters meters = endpoints.get(endpoint);
    return meters == null ? add(OTHER) : meters;
  }

  private EndpointMeters add(String endpoint) {
    return endpoints.computeIfAbsent(endpoint, it -> new EndpointMeters(registry, it, OTHER));
  }
}
