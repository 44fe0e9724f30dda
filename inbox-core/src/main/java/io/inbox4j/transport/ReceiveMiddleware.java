package io.inbox4j.transport;

import java.util.List;

/**
 * Runs around the storing of deliveries, as {@link io.inbox4j.handler.EventMiddleware} runs around
 * handlers: timing, tracing.
 *
 * <p>Consumers call it concurrently, so it must be thread-safe. If it throws before the deliveries
 * are stored, or lets an exception of {@code next} through, they are not acknowledged and are
 * offered again; so it must not throw because of a delivery's content. An exception that it throws
 * after they are stored is logged and changes nothing.
 */
@FunctionalInterface
public interface ReceiveMiddleware {

  /**
   * Wraps {@code next.run()}, which stores the deliveries, and handles them if the subscription is
   * inline. It must be called exactly once.
   */
  void store(String endpoint, List<Delivery> deliveries, Runnable next);
}
