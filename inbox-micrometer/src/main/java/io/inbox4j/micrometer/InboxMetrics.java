package io.inbox4j.micrometer;

import io.inbox4j.Inbox;
import io.inbox4j.InboxListener;
import io.inbox4j.receive.QuarantineReason;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the metrics of an inbox in a registry.
 *
 * <pre>{@code
 * Inbox.builder().listener(InboxMetrics.on(registry))
 * }</pre>
 *
 * <p>Outcomes are counted after their commit, once each, whatever it took to get there. Tags are
 * the queues and event types that the inbox was built with and the reasons of the quarantine;
 * whatever else a message calls itself is counted as {@code other}. So the number of series is
 * bounded, and nothing that a producer writes gets into one.
 *
 * <p>What is pending is asked of the database every {@link #REFRESH}, on a thread of its own: a
 * scrape never waits for the database.
 */
public final class InboxMetrics implements InboxListener {

  /** How often it is found out what is pending. */
  public static final Duration REFRESH = Duration.ofSeconds(5);

  private static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Map<String, EndpointMeters> endpoints = new ConcurrentHashMap<>();
  private final Map<Inbox, BacklogReader> readers = new ConcurrentHashMap<>();

  private InboxMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** A listener that keeps the metrics in this registry. */
  public static InboxMetrics on(MeterRegistry registry) {
    return new InboxMetrics(registry);
  }

  @Override
  public void opened(Inbox inbox) {
    inbox.types().forEach((endpoint, types) -> add(endpoint).open(types));
    readers.put(inbox, BacklogReader.start(inbox, endpoints));
  }

  @Override
  public void closed(Inbox inbox) {
    BacklogReader reader = readers.remove(inbox);
    if (reader != null) {
      reader.stop();
    }
    inbox.types().keySet().forEach(endpoint -> of(endpoint).close());
  }

  @Override
  public void received(Message message) {
    of(message).received.increment();
  }

  @Override
  public void duplicate(Message message) {
    of(message).duplicates.increment();
  }

  @Override
  public void quarantined(String endpoint, QuarantineReason reason, String detail) {
    of(endpoint).quarantined(reason);
  }

  @Override
  public void processed(Message message, int attempt, Duration lag) {
    EventMeters meters = of(message);
    meters.processed.increment();
    meters.lag.record(lag);
  }

  @Override
  public void retried(Message message, int attempt, Duration delay, Throwable failure) {
    EventMeters meters = of(message);
    meters.failed.increment();
    meters.retried.increment();
  }

  @Override
  public void dead(Message message, int attempt, String error) {
    EventMeters meters = of(message);
    meters.failed.increment();
    meters.dead.increment();
  }

  @Override
  public void postponed(Message message, String reason) {
    of(message).postponed.increment();
  }

  @Override
  public void replayed(Message message) {
    of(message).replayed.increment();
  }

  @Override
  public void discarded(Message message) {
    of(message).discarded.increment();
  }

  @Override
  public void recovered(Message message) {
    of(message).recovered.increment();
  }

  @Override
  public void batchStored(String endpoint, int deliveries) {
    of(endpoint).stored(deliveries);
  }

  @Override
  public void batchHandled(String endpoint, int messages) {
    of(endpoint).handled(messages);
  }

  @Override
  public void handled(String endpoint, String type, int messages, Duration time, boolean well) {
    of(endpoint).of(type).handler(well).record(time);
  }

  @Override
  public void interrupted(String endpoint, Throwable cause) {
    of(endpoint).interrupted();
  }

  @Override
  public void connected(String endpoint) {
    of(endpoint).connected(true);
  }

  @Override
  public void disconnected(String endpoint, Throwable cause) {
    of(endpoint).connected(false);
  }

  @Override
  public void circuitOpened(String endpoint, double failureRate, Duration pause) {
    of(endpoint).circuitOpen(true);
  }

  @Override
  public void circuitClosed(String endpoint) {
    of(endpoint).circuitOpen(false);
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
