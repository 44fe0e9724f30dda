package shop.billing;

import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.retry.RetryPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What the service adds to the worker: one queue, one event, one handler. */
public final class BillingApplication implements InboxApplication {

  public record OrderCreated(UUID messageId, UUID orderId, BigDecimal total)
      implements IntegrationEvent {}

  @Override
  public void configure(InboxBuilder inbox) {
    inbox.subscribe(
        "billing.orders",
        queue ->
            queue
                .on(
                    OrderCreated.class,
                    (event, context) ->
                        context
                            .unwrap(Handle.class)
                            .execute(
                                "INSERT INTO invoices (order_id, total) VALUES (?, ?)",
                                event.orderId(),
                                event.total()))
                .bind("orders", "order.created")
                .retry(RetryPolicy.exponential(Duration.ofSeconds(1)).maxAttempts(10)));
  }
}
