package io.inbox4j.examples.transactional;

import io.inbox4j.Inbox;
import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A handler whose SQL and whose message are one transaction: either the parcel is packed, the stock
 * is lower and the message is processed, or none of it happened.
 */
public final class Transactional {

  private static final String QUEUE = "example.transactional";

  private static final String TABLES =
      """
      DROP TABLE IF EXISTS example_stock, example_parcels;
      CREATE TABLE example_stock (item text, pieces integer CHECK (pieces >= 0));
      CREATE TABLE example_parcels (order_id text, item text, pieces integer);
      INSERT INTO example_stock VALUES ('lamp', 3);
      """;

  /** An order of a number of pieces. */
  @EventType("orders.order-placed")
  public record OrderPlaced(UUID messageId, String orderId, String item, int pieces)
      implements IntegrationEvent {}

  private Transactional() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find()) {
      run(servers);
    }
  }

  private static void run(Servers servers) throws Exception {
    Jdbi jdbi = Jdbi.create(servers.jdbcUrl());
    jdbi.useHandle(handle -> handle.createScript(TABLES).execute());

    try (Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(
                    QUEUE,
                    queue ->
                        queue
                            .on(OrderPlaced.class, Transactional::pack)
                            .retry(RetryPolicy.fixed(Duration.ofMillis(500)).maxAttempts(100)))
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();

      System.out.println("There are 3 lamps, and an order of 5 comes in.");
      UUID order = placeOrder(shop, 5);
      Eventually.holds("a failed attempt", () -> status(jdbi, order).startsWith("retrying"));
      show(jdbi, order);

      System.out.println("10 more lamps arrive.");
      jdbi.useHandle(handle -> handle.execute("UPDATE example_stock SET pieces = pieces + 10"));
      Eventually.holds("the order is packed", () -> status(jdbi, order).startsWith("processed"));
      show(jdbi, order);
    }
  }

  /** Packs first and then looks: too few lamps break the CHECK, and the parcel is undone too. */
  private static void pack(OrderPlaced order, EventContext context) {
    Handle transaction = context.unwrap(Handle.class);
    transaction.execute(
        "INSERT INTO example_parcels VALUES (?, ?, ?)",
        order.orderId(),
        order.item(),
        order.pieces());
    transaction.execute(
        "UPDATE example_stock SET pieces = pieces - ? WHERE item = ?",
        order.pieces(),
        order.item());
  }

  private static UUID placeOrder(Producer shop, int pieces) throws Exception {
    String orderId = UUID.randomUUID().toString();
    UUID messageId = MessageIds.of("order", orderId, "placed");
    String json =
        "{\"orderId\": \"%s\", \"item\": \"lamp\", \"pieces\": %d}".formatted(orderId, pieces);
    shop.send(QUEUE, "orders.order-placed", messageId, json);
    return messageId;
  }

  private static void show(Jdbi jdbi, UUID order) {
    System.out.printf("  the message: %s%n", status(jdbi, order));
    System.out.printf("  parcels:     %s%n", one(jdbi, "SELECT count(*) FROM example_parcels"));
    System.out.printf("  lamps left:  %s%n", one(jdbi, "SELECT pieces FROM example_stock"));
  }

  private static String status(Jdbi jdbi, UUID message) {
    return jdbi.withHandle(
        handle ->
            handle
                .select(
                    "SELECT concat_ws(', ', status, split_part(error, E'\\n', 1))"
                        + " FROM inbox WHERE id = ? AND endpoint = ?",
                    message,
                    QUEUE)
                .mapTo(String.class)
                .findOne()
                .orElse("not there yet"));
  }

  private static String one(Jdbi jdbi, String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(String.class).one());
  }
}
