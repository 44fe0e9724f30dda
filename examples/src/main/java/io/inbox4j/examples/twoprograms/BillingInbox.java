package io.inbox4j.examples.twoprograms;

import io.inbox4j.Inbox;
import io.inbox4j.examples.support.Servers;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import org.jdbi.v3.core.Handle;

/** The inbox that the receiver and the worker have in common. */
final class BillingInbox {

  static final String QUEUE = "example.two-programs";

  private BillingInbox() {}

  static Inbox build(Servers servers) {
    return Inbox.builder()
        .store(JdbiInboxStore.connect(servers.jdbcUrl()))
        .transport(RabbitTransport.connect(servers.amqpUri()))
        .subscribe(QUEUE, OrderPlaced.class, BillingInbox::writeInvoice)
        .build();
  }

  private static void writeInvoice(OrderPlaced order, EventContext context) {
    context
        .unwrap(Handle.class)
        .execute(
            "INSERT INTO example_invoices_by_process VALUES (?, ?, ?)",
            order.orderId(),
            order.total(),
            ProcessHandle.current().pid());
  }
}
