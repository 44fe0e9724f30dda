package io.inbox4j.publishing;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** What billing publishes about an order. */
@EventType("publishing.invoice-issued")
record InvoiceIssued(UUID messageId, int order, String customer, int number)
    implements IntegrationEvent {

  @Override
  public String orderingKey() {
    return customer;
  }
}
