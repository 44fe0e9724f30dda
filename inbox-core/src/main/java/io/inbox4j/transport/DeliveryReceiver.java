package io.inbox4j.transport;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import java.util.List;

/**
 * Where a transport brings deliveries to be stored.
 *
 * @param <T> what the endpoint's events are
 */
public interface DeliveryReceiver<T extends IntegrationEvent> {

  /** The event types that the endpoint knows. */
  EventTypes<T> types();

  /**
   * What a delivery is: an event, or something to put aside, and why. It asks nobody, so the thread
   * that takes deliveries off the wire can call it while others are stored; and it never fails, but
   * for want of memory, say: then it can be asked again.
   */
  ValidatedDelivery check(Delivery delivery);

  /**
   * Stores what was checked, in this order; when it returns, all of it is durable and can be
   * acknowledged.
   *
   * @throws io.inbox4j.store.StoreUnavailableException if that is not known of all; try again
   *     later, what was stored nevertheless is a duplicate then
   */
  void store(List<ValidatedDelivery> batch);

  /**
   * Finds out whether deliveries could be stored now, if there is reason to doubt it; costs nothing
   * otherwise. Who has nothing in hand takes nothing while this fails.
   *
   * @throws io.inbox4j.store.StoreUnavailableException if they could not
   */
  default void probe() {}
}
