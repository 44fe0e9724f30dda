package io.inbox4j.examples.twoprograms;

import io.inbox4j.event.MessageIds;
import io.inbox4j.examples.support.ChildProgram;
import io.inbox4j.examples.support.Eventually;
import io.inbox4j.examples.support.Producer;
import io.inbox4j.examples.support.Servers;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * Runs the {@link Receiver} and the {@link Worker} as processes of their own, and shows that they
 * need not run at the same time.
 */
public final class TwoPrograms {

  private static final int ORDERS = 100;
  private static final String STORED =
      "SELECT count(*) FROM inbox WHERE content ->> 'orderId' LIKE ? || '-%'";
  private static final String HANDLED =
      "SELECT count(*) FROM example_invoices_by_process WHERE order_id LIKE ? || '-%'";

  private TwoPrograms() {}

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
                "CREATE TABLE IF NOT EXISTS example_invoices_by_process"
                    + " (order_id text, total numeric, pid bigint)"));
    Map<String, String> addresses =
        Map.of(Servers.AMQP, servers.amqpUri(), Servers.JDBC, servers.jdbcUrl());

    String run = UUID.randomUUID().toString();
    try (ChildProgram receiver = ChildProgram.start(Receiver.class, addresses)) {
      receiver.awaitLine("Receiving");
      placeOrders(servers, run);
      Eventually.holds("all orders are stored", () -> count(jdbi, STORED, run) == ORDERS);
      receiver.stop();
    }
    System.out.println("Only the receiver has run, and has ended:");
    show(jdbi, run);

    try (ChildProgram worker = ChildProgram.start(Worker.class, addresses)) {
      worker.awaitLine("Processing");
      Eventually.holds("all orders are handled", () -> count(jdbi, HANDLED, run) == ORDERS);
      worker.stop();
    }
    System.out.println("Then only the worker has run:");
    show(jdbi, run);
  }

  private static void show(Jdbi jdbi, String run) {
    System.out.printf("  stored:  %3d orders%n", count(jdbi, STORED, run));
    System.out.printf("  handled: %3d orders%n", count(jdbi, HANDLED, run));
  }

  private static void placeOrders(Servers servers, String run) throws Exception {
    try (Producer shop = Producer.connect(servers.amqpUri())) {
      for (int i = 0; i < ORDERS; i++) {
        String orderId = run + "-" + i;
        shop.send(
            BillingInbox.QUEUE,
            "orders.order-placed",
            MessageIds.of("order", orderId, "placed"),
            "{\"orderId\": \"%s\", \"total\": 12.50}".formatted(orderId));
      }
    }
  }

  private static int count(Jdbi jdbi, String query, String run) {
    return jdbi.withHandle(handle -> handle.select(query, run).mapTo(Integer.class).one());
  }
}
