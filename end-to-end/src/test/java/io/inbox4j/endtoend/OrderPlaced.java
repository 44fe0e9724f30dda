package io.inbox4j.endtoend;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send. */
@EventType("orders.order-placed")
public record OrderPlaced(UUID messageId, String order, int amount) implements IntegrationEvent {}
