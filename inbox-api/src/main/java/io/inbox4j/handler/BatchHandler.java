package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;
import java.util.List;

/**
 * Handles many events at once, for one statement over all of them.
 *
 * <pre>{@code
 * .onBatch(OrderCreated.class, (orders, context) -> {
 *   PreparedBatch insert = context.unwrap(Handle.class).prepareBatch("INSERT INTO invoices …");
 *   orders.forEach(order -> insert.bindMethods(order).add());
 *   insert.execute();
 * })
 * }</pre>
 *
 * <p>It is called by several workers at once and must be thread-safe. What it does through {@link
 * BatchContext#unwrap} commits together with the outcomes of all its messages.
 *
 * @param <T> the event
 */
@FunctionalInterface
public interface BatchHandler<T extends IntegrationEvent> {

  /**
   * Handles events in arrival order; returning means success, but for those that it said {@link
   * BatchContext#fail} about.
   *
   * @param events one or more, as many as a worker had in hand
   * @throws RetryLater to be called again with all of them after a delay
   * @throws Postpone if it is too early for all of them
   * @throws Exception anything else means that one of them cannot be handled: what was done is
   *     undone, and halves of the batch run until that one is found; the rest is handled
   */
  void handle(List<T> events, BatchContext<T> context) throws Exception;
}
