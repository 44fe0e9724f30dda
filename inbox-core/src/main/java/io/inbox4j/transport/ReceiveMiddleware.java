package io.inbox4j.transport;

import java.util.List;

/**
 * Runs around the storing of deliveries, as {@link io.inbox4j.handler.EventMiddleware} runs around
 * handlers: timing, traces.
 *
 * <p>It is called by several consumers at once and must be thread-safe. If it throws before they
 * are stored, or lets through what {@code next} throws, the deliveries are not acknowledged and
 * offered again; so it must not throw because of what a delivery holds. What it throws once they
 * are stored is logged and changes nothing.
 */
@FunctionalInterface
public interface ReceiveMiddleware {

  /**
   * Does something around {@code next.run()}, which stores the deliveries, and handles them if the
   * subscription is inline. It must be called once.
   */
  void store(String endpoint, List<Delivery> deliveries, Runnable next);
}
