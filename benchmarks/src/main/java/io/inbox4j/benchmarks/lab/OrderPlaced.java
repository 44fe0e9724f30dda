package io.inbox4j.benchmarks;

import io.inbox4j.EventType;
import io.inbox4j.IntegrationEvent;
import java.util.UUID;

/** The event that is measured with; its note fills the body up to 1 KB. */
@EventType("orders.order-placed")
public record OrderPlaced(UUID messageId, String order, int amount, String note)
    implements IntegrationEvent {}
