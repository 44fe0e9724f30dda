package io.inbox4j.rabbitmq;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send. */
record StockCounted(UUID messageId) implements IntegrationEvent {}
