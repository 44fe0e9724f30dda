package io.inbox4j.receive;

import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventTypes;
import io.inbox4j.transport.Delivery;
import java.util.List;

/**
 * Where a transport brings deliveries to be stored.
 *
 * @param <T> what the endpoint's events are
 */
public interface Intake<T extends IntegrationEvent> {

  /** The event types that the endpoint knows. */
  EventTypes<T> types();

  /**
   * Stores deliveries in this order, in one transaction; when it returns, all are durable and can
   * be acknowledged.
   *
   * @throws io.inbox4j.store.StoreUnavailableException if nothing was stored; try again later
   */
  void store(List<Delivery> deliveries);
}
