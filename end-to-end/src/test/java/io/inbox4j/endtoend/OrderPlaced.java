package io.inbox4j.endtoend;

import io.inbox4j.EventType;
import io.inbox4j.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send. */
@EventType("orders.order-placed")
public record OrderPlaced(UUID messageId, String order, int amount) implements IntegrationEvent {}
