package io.inbox4j.examples.demo;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** An order of the demo; its number decides what becomes of it, see {@link OrderPlan}. */
@EventType("demo.order-placed")
record OrderPlaced(UUID messageId, int number, int cents) implements IntegrationEvent {}
