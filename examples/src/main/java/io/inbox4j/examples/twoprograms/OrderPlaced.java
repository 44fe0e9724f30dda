package io.inbox4j.examples.twoprograms;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.math.BigDecimal;
import java.util.UUID;

/** An order, as the shop publishes it. */
@EventType("orders.order-placed")
public record OrderPlaced(UUID messageId, String orderId, BigDecimal total)
    implements IntegrationEvent {}
