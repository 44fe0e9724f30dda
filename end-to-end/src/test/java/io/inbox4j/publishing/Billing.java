package io.inbox4j.publishing;

import io.inbox4j.Inbox;
import io.inbox4j.handler.EventContext;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jdbi.v3.core.Handle;

/** A process that writes an invoice for every order, and publishes that. */
public final class Billing {

  static final String QUEUE = "publishing.billing";
  private static final double FAILURES = 0.003;

  private Billing() {}

  public static void main(String[] args) {
    Inbox.builder()
        .store(JdbiInboxStore.connect(args[0]))
        .transport(RabbitTransport.connect(args[1]))
        .subscribe(
            QUEUE,
            queue ->
                queue
                    .on(OrderPlaced.class, Billing::bill)
                    .ordered()
                    .retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxAttempts(1_000)))
        .build()
        .start();
    System.out.println("started");
  }

  private static void bill(OrderPlaced order, EventContext context) {
    context.publish(new InvoiceIssued(null, order.order(), order.customer(), order.number()));
    context
        .unwrap(Handle.class)
        .execute("INSERT INTO invoices (order_id) VALUES (?)", order.order());
    if (ThreadLocalRandom.current().nextDouble() < FAILURES) {
      throw new IllegalStateException("a stumble");
    }
  }
}
