package io.inbox4j.examples.demo;

import io.inbox4j.EventType;
import io.inbox4j.IntegrationEvent;
import java.util.UUID;

/** An order of the demo; its number decides what becomes of it, see {@link OrderPlan}. */
@EventType("demo.order-placed")
record OrderPlaced(UUID messageId, int number, int cents) implements IntegrationEvent {}
