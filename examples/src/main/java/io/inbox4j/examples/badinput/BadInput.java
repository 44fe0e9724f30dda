package io.inbox4j.examples.badinput;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.rabbitmq.RabbitTransport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries that are no events: they are kept with their bytes and the reason, and come back when
 * the inbox has learned to read them.
 */
public final class BadInput {

  private static final String QUEUE = "example.bad-input";
  private static final MessageFilter OURS = MessageFilter.all().endpoint(QUEUE);

  /** The event that the service knows from its first day on. */
  @EventType("orders.order-placed")
  public record OrderPlaced(UUID messageId, String note) implements IntegrationEvent {}

  /** An event that it learns later. */
  @EventType("orders.order-refunded")
  public record OrderRefunded(UUID messageId, String note) implements IntegrationEvent {}

  private BadInput() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find()) {
      sendAll(servers);
      improve(servers);
    }
  }

  /** The first version of the service: it knows one event, and accepts small ones only. */
  private static void sendAll(Servers servers) throws Exception {
    try (Inbox inbox =
            inbox(servers, queue -> queue.on(OrderPlaced.class, (o, c) -> {}).maxBodySize(1_000));
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();
      int before = quarantined(inbox);
      String id = UUID.randomUUID().toString();
      send(shop, id + "1", "orders.order-placed", "application/json", "order " + id + ", please");
      send(shop, null, "orders.order-placed", "application/json", json("who am I? " + id));
      send(shop, id + "2", "orders.order-placed", "text/xml", "<order id=\"" + id + "\"/>");
      send(shop, id + "3", "orders.order-placed", "application/json", json("x".repeat(2_000)));
      send(shop, id + "4", "orders.order-refunded", "application/json", json("money back"));
      Eventually.holds("all are kept", () -> quarantined(inbox) == before + 5);

      System.out.println("In quarantine:");
      inbox
          .quarantine()
          .list(OURS, 10)
          .forEach(kept -> System.out.printf("  %-15s %s%n", kept.reason().code(), kept.detail()));
    }
  }

  /** The next version: it knows refunds, and accepts larger bodies. */
  private static void improve(Servers servers) throws Exception {
    List<String> handled = new CopyOnWriteArrayList<>();
    try (Inbox inbox =
        inbox(
            servers,
            queue ->
                queue
                    .on(OrderPlaced.class, (order, context) -> handled.add(context.type()))
                    .on(OrderRefunded.class, (refund, context) -> handled.add(context.type())))) {
      System.out.println();
      System.out.println(
          "A new version starts, which knows refunds: they come back by themselves.");
      inbox.start();
      Eventually.holds("the refund is handled", () -> handled.contains("orders.order-refunded"));

      System.out.println("It accepts larger bodies, too: those come back when they are replayed.");
      int replayed = inbox.quarantine().replay(OURS);
      Eventually.holds("the order is handled", () -> handled.contains("orders.order-placed"));
      System.out.printf(
          "Replayed: %d; handled: %s; still in quarantine: %d%n",
          replayed, handled, quarantined(inbox));
    }
  }

  private static Inbox inbox(Servers servers, Consumer<SubscriptionBuilder> subscription) {
    return Inbox.builder()
        .store(JdbiInboxStore.connect(servers.jdbcUrl()))
        .transport(RabbitTransport.connect(servers.amqpUri()))
        .subscribe(QUEUE, subscription)
        .build();
  }

  private static int quarantined(Inbox inbox) {
    return inbox.quarantine().list(OURS, 10_000).size();
  }

  private static String json(String note) {
    return "{\"note\": \"" + note + "\"}";
  }

  private static void send(
      Producer shop, @Nullable String id, String type, String contentType, String body)
      throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder().messageId(id).type(type).contentType(contentType).build();
    shop.send(QUEUE, properties, body.getBytes(StandardCharsets.UTF_8));
  }
}
