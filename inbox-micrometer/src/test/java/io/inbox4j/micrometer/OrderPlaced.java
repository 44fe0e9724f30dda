package io.inbox4j.micrometer;

import io.inbox4j.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send. */
record OrderPlaced(UUID messageId, String order) implements IntegrationEvent {}
