package io.inbox4j.examples.metrics;

import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.micrometer.InboxMetrics;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.UUID;

/** An order that comes twice and one that is broken, as a Micrometer registry counts them. */
public final class Metrics {

  private static final String QUEUE = "example.metrics";

  /** An order was placed. */
  public record OrderPlaced(UUID messageId, String order) implements IntegrationEvent {}

  private Metrics() {}

  public static void main(String[] args) throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry(); // yours would be that of Prometheus
    try (Servers servers = Servers.find();
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .listener(InboxMetrics.on(registry))
                .subscribe(QUEUE, OrderPlaced.class, (event, context) -> {})
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();
      UUID id = UUID.randomUUID();
      shop.send(QUEUE, "order-placed", id, "{\"order\": \"4711\"}");
      shop.send(QUEUE, "order-placed", id, "{\"order\": \"4711\"}");
      shop.send(QUEUE, "order-placed", UUID.randomUUID(), "{\"order\": ");
      Eventually.holds(
          "all is counted",
          () ->
              count(registry, "inbox.messages.processed") == 1
                  && count(registry, "inbox.deliveries.quarantined") == 1);
      print(registry, "inbox.messages.received");
      print(registry, "inbox.messages.duplicates");
      print(registry, "inbox.messages.processed");
      print(registry, "inbox.deliveries.quarantined");
    }
  }

  private static void print(MeterRegistry registry, String name) {
    System.out.printf("%-30s %d%n", name, count(registry, name));
  }

  private static long count(MeterRegistry registry, String name) {
    return (long) registry.get(name).counters().stream().mapToDouble(Counter::count).sum();
  }
}
