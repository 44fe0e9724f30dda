package io.inbox4j.endtoend;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** A second event, for queues that carry more than one. */
@EventType("orders.order-cancelled")
public record OrderCancelled(UUID messageId, String order, Double refund)
    implements IntegrationEvent {}
