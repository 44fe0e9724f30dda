package io.inbox4j.transport;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import java.util.List;

/**
 * The receiving end of an endpoint, to which a transport passes deliveries to validate and store.
 *
 * @param <T> the base type of the endpoint's events
 */
public interface DeliveryReceiver<T extends IntegrationEvent> {

  /** The event types that the endpoint knows. */
  EventTypes<T> types();

  /**
   * Validates a delivery: the result is an event, or a rejection with its reason. It does no I/O,
   * so the thread that reads from the broker can call it while other deliveries are being stored.
   * It fails only if the JVM is out of resources such as memory; then it can be called again.
   */
  ValidatedDelivery check(Delivery delivery);

  /**
   * Stores validated deliveries, in this order; when it returns, all of them are durable and can be
   * acknowledged.
   *
   * @throws io.inbox4j.store.StoreUnavailableException if they may not all be durable; retry later,
   *     what was stored nevertheless is then a duplicate
   */
  void store(List<ValidatedDelivery> batch);

  /**
   * Checks whether deliveries could be stored now, if there is reason to doubt it; costs nothing
   * otherwise. A consumer without unstored deliveries accepts none while this fails.
   *
   * @throws io.inbox4j.store.StoreUnavailableException if deliveries could not be stored now
   */
  default void probe() {}
}
