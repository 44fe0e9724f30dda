package io.inbox4j.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** The meters of an event type at an endpoint. All of them exist from the start, at 0. */
final class EventMeters {

  /** Coarse, because there is one series per bucket, type and endpoint. */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofMillis(2_500),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10),
    Duration.ofHours(1)
  };

  final Counter received;
  final Counter duplicates;
  final Counter processed;
  final Counter failed;
  final Counter retried;
  final Counter dead;
  final Counter postponed;
  final Counter replayed;
  final Counter discarded;
  final Counter recovered;
  final Timer lag;
  private final Timer handledWell;
  private final Timer handledBadly;

  EventMeters(MeterRegistry registry, String endpoint, String type) {
    Tags tags = Tags.of("endpoint", endpoint, "type", type);
    received = counter(registry, "received", "Messages stored for the first time", tags);
    duplicates = counter(registry, "duplicates", "Deliveries that had been stored before", tags);
    processed = counter(registry, "processed", "Messages handled, and committed", tags);
    failed = counter(registry, "failed", "Attempts that failed", tags);
    retried = counter(registry, "retried", "Failed attempts that another one follows", tags);
    dead = counter(registry, "dead", "Messages given up on", tags);
    postponed = counter(registry, "postponed", "Messages whose handler said: later", tags);
    replayed = counter(registry, "replayed", "Messages that came back to be handled", tags);
    discarded =
        counter(registry, "discarded", "Dead and pending messages that were discarded", tags);
    recovered =
        counter(registry, "recovered", "Outcomes of messages that a worker died over", tags);
    lag = timer(registry, "inbox.lag", "From storing a message to the commit of its effect", tags);
    handledWell = handler(registry, tags.and("outcome", "returned"));
    handledBadly = handler(registry, tags.and("outcome", "threw"));
  }

  Timer handler(boolean well) {
    return well ? handledWell : handledBadly;
  }

  private static Counter counter(
      MeterRegistry registry, String name, String description, Tags tags) {
    return Counter.builder("inbox.messages." + name)
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private static Timer handler(MeterRegistry registry, Tags tags) {
    return timer(registry, "inbox.handler", "Calls of handlers, repeated ones included", tags);
  }

  private static Timer timer(MeterRegistry registry, String name, String description, Tags tags) {
    return Timer.builder(name)
        .description(description)
        .tags(tags)
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }
}
