package io.inbox4j.examples.inprocess;

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
import java.math.BigDecimal;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The quick start: one process receives orders and writes an invoice for each, once. */
public final class InProcess {

  private static final String QUEUE = "example.in-process";

  /** What the shop tells us. Its name on the wire stays, whatever becomes of the class. */
  @EventType("orders.order-placed")
  public record OrderPlaced(UUID messageId, String orderId, BigDecimal total)
      implements IntegrationEvent {}

  private InProcess() {}

  public static void main(String[] args) throws Exception {
    try (Servers servers = Servers.find()) {
      run(servers);
    }
  }

  private static void run(Servers servers) throws Exception {
    Jdbi jdbi = Jdbi.create(servers.jdbcUrl());
    jdbi.useHandle(
        handle ->
            handle.execute(
                "CREATE TABLE IF NOT EXISTS example_invoices (order_id text, total numeric)"));

    try (Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.connect(servers.jdbcUrl()))
                .transport(RabbitTransport.connect(servers.amqpUri()))
                .subscribe(QUEUE, OrderPlaced.class, InProcess::writeInvoice)
                .build();
        Producer shop = Producer.connect(servers.amqpUri())) {
      inbox.start();

      String first = placeOrder(shop, "12.50");
      String second = placeOrder(shop, "99.00");
      Eventually.holds("two invoices", () -> invoices(jdbi, first) + invoices(jdbi, second) == 2);
      System.out.println("Two orders, each sent twice.");
      System.out.println("Invoices of the first order:  " + invoices(jdbi, first));
      System.out.println("Invoices of the second order: " + invoices(jdbi, second));
    }
  }

  /** The handler: what it does through the context commits together with the message. */
  private static void writeInvoice(OrderPlaced order, EventContext context) {
    context
        .unwrap(Handle.class)
        .execute("INSERT INTO example_invoices VALUES (?, ?)", order.orderId(), order.total());
  }

  /** Sends an order as a shop does that was unsure whether its first try arrived: twice. */
  private static String placeOrder(Producer shop, String total) throws Exception {
    String orderId = UUID.randomUUID().toString();
    UUID messageId = MessageIds.of("order", orderId, "placed");
    String json = "{\"orderId\": \"%s\", \"total\": %s}".formatted(orderId, total);
    shop.send(QUEUE, "orders.order-placed", messageId, json);
    shop.send(QUEUE, "orders.order-placed", messageId, json);
    return orderId;
  }

  private static int invoices(Jdbi jdbi, String orderId) {
    return jdbi.withHandle(
        handle ->
            handle
                .select("SELECT count(*) FROM example_invoices WHERE order_id = ?", orderId)
                .mapTo(Integer.class)
                .one());
  }
}
