package io.inbox4j.publishing;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** What the shop publishes: the order of a customer, who numbers them from 1 on. */
@EventType("publishing.order-placed")
record OrderPlaced(UUID messageId, int order, String customer, int number)
    implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return customer;
  }
}
