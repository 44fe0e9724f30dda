package io.inbox4j.publishing;

import io.inbox4j.Inbox;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A process that places orders, each in a transaction that also publishes it, and learns of their
 * invoices. It goes on with the order after the last one that is in the database.
 */
public final class Shop {

  static final String QUEUE = "publishing.shop";
  static final int CUSTOMERS = 50;

  private Shop() {}

  public static void main(String[] args) {
    Jdbi jdbi = Jdbi.create(args[0]);
    int orders = Integer.parseInt(args[2]);
    Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(args[0]))
            .transport(RabbitTransport.connect(args[1]))
            .subscribe(QUEUE, queue -> queue.on(InvoiceIssued.class, Shop::billed).ordered())
            .build();
    inbox.start();
    System.out.println("started");
    try (Handle handle = jdbi.open()) {
      int next = handle.select("SELECT count(*) FROM orders").mapTo(Integer.class).one();
      for (int order = next; order < orders; order++) {
        place(handle, inbox, order);
      }
    }
    System.out.println("placed");
  }

  private static void place(Handle handle, Inbox inbox, int order) {
    String customer = "c" + order % CUSTOMERS;
    int number = order / CUSTOMERS + 1;
    handle.useTransaction(
        transaction -> {
          transaction.execute(
              "INSERT INTO orders VALUES (?, ?, ?, 0, false)", order, customer, number);
          inbox.outbox().in(transaction).publish(new OrderPlaced(null, order, customer, number));
        });
  }

  private static void billed(InvoiceIssued invoice, EventContext context) {
    Handle handle = context.unwrap(Handle.class);
    boolean inTurn =
        handle
            .select(
                "SELECT NOT EXISTS (SELECT FROM orders"
                    + " WHERE customer = ? AND number < ? AND invoices = 0)",
                invoice.customer(),
                invoice.number())
            .mapTo(Boolean.class)
            .one();
    handle.execute(
        "UPDATE orders SET invoices = invoices + 1, out_of_turn = NOT ? WHERE id = ?",
        inTurn,
        invoice.order());
  }
}
