package io.inbox4j.opentelemetry;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send. */
record OrderPlaced(UUID messageId, String order) implements IntegrationEvent {}
