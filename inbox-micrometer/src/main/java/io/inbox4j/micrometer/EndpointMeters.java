package io.inbox4j.micrometer;

import io.inbox4j.listener.Backlog;
import io.inbox4j.listener.QuarantineReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of an endpoint. */
final class EndpointMeters {

  private final MeterRegistry registry;
  private final String endpoint;
  private final String other;
  private final Tags tags;
  private final Map<String, EventMeters> types = new ConcurrentHashMap<>();
  private final Map<QuarantineReason, Counter> quarantined = new EnumMap<>(QuarantineReason.class);
  private final DistributionSummary stored;
  private final DistributionSummary handled;
  private final Counter interruptions;
  private final List<Gauge> gauges = new CopyOnWriteArrayList<>();
  private volatile @Nullable Backlog backlog;
  private volatile @Nullable Boolean connected;
  private volatile boolean circuitOpen;

  /**
   * @param other the tag value for an unknown type
   */
  EndpointMeters(MeterRegistry registry, String endpoint, String other) {
    this.registry = registry;
    this.endpoint = endpoint;
    this.other = other;
    this.tags = Tags.of("endpoint", endpoint);
    for (QuarantineReason reason : QuarantineReason.values()) {
      quarantined.put(
          reason,
          Counter.builder("inbox.deliveries.quarantined")
              .description("Deliveries put aside because they are no events")
              .tags(tags.and("reason", reason.code()))
              .register(registry));
    }
    stored = batch("receive");
    handled = batch("process");
    interruptions =
        Counter.builder("inbox.interruptions")
            .description("Transactions given up because of the infrastructure")
            .tags(tags)
            .register(registry);
  }

  private DistributionSummary batch(String step) {
    return DistributionSummary.builder("inbox.batch.size")
        .description("Messages in one transaction")
        .tags(tags.and("step", step))
        .serviceLevelObjectives(1, 8, 64, 512)
        .register(registry);
  }

  /** Registers the gauges, and the meters of these types. */
  void open(Set<String> known) {
    known.forEach(this::add);
    gauge("inbox.pending", "messages", "Messages to be handled", EndpointMeters::pending);
    gauge(
        "inbox.pending.oldest",
        "seconds",
        "For how long the message that waits longest has been due",
        EndpointMeters::oldestSeconds);
    gauge("inbox.circuit.open", null, "1 while the endpoint rests", it -> it.circuitOpen ? 1 : 0);
  }

  /** Removes the gauges; counters stay. */
  void close() {
    gauges.forEach(registry::remove);
    gauges.clear();
    connected = null;
    backlog = null;
  }

  EventMeters of(String type) {
    EventMeters meters = types.get(type);
    return meters == null ? add(other) : meters;
  }

  private EventMeters add(String type) {
    return types.computeIfAbsent(type, it -> new EventMeters(registry, endpoint, it));
  }

  void quarantined(QuarantineReason reason) {
    quarantined.get(reason).increment();
  }

  void stored(int deliveries) {
    stored.record(deliveries);
  }

  void handled(int messages) {
    handled.record(messages);
  }

  void interrupted() {
    interruptions.increment();
  }

  /** Only a process that receives has a connection, so only that one has a gauge for it. */
  synchronized void connected(boolean yes) {
    boolean first = connected == null;
    connected = yes;
    if (first) {
      gauge(
          "inbox.connected",
          null,
          "1 while the endpoint consumes its queue, else 0",
          it -> Boolean.TRUE.equals(it.connected) ? 1 : 0);
    }
  }

  void circuitOpen(boolean yes) {
    circuitOpen = yes;
  }

  /** Sets what is pending now, or null if that is unknown. */
  void backlog(@Nullable Backlog now) {
    backlog = now;
  }

  private double pending() {
    Backlog now = backlog;
    return now == null ? Double.NaN : now.pending();
  }

  private double oldestSeconds() {
    Backlog now = backlog;
    return now == null ? Double.NaN : now.oldest().toMillis() / 1000.0;
  }

  private void gauge(
      String name, @Nullable String unit, String what, ToDoubleFunction<EndpointMeters> value) {
    gauges.add(
        Gauge.builder(name, this, value)
            .baseUnit(unit)
            .description(what)
            .tags(tags)
            .register(registry));
  }
}
