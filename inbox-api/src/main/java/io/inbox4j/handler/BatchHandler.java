package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;
import java.util.List;

/**
 * Handles several events in one call, for example with one SQL statement for all of them.
 *
 * <pre>{@code
 * .onBatch(OrderCreated.class, (orders, context) -> {
 *   PreparedBatch insert = context.unwrap(Handle.class).prepareBatch("INSERT INTO invoices …");
 *   orders.forEach(order -> insert.bindMethods(order).add());
 *   insert.execute();
 * })
 * }</pre>
 *
 * <p>Workers call it concurrently, so it must be thread-safe. What it does through {@link
 * BatchContext#unwrap} commits together with the outcomes of all its messages.
 *
 * @param <T> the event type
 */
@FunctionalInterface
public interface BatchHandler<T extends IntegrationEvent> {

  /**
   * Handles events, in arrival order. Returning means success for all of them except those passed
   * to {@link BatchContext#fail}.
   *
   * @param events one or more, as many as the worker has claimed
   * @throws RetryLater to be called again with all of them after a delay
   * @throws Postpone if it is too early to handle any of them
   * @throws Exception anything else means that at least one event cannot be handled: the effects
   *     are rolled back, and the batch is bisected until the failing event is isolated; the others
   *     are handled
   */
  void handle(List<T> events, BatchContext<T> context) throws Exception;
}
