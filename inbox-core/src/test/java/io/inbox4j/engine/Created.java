package io.inbox4j.engine;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event that the tests send: a number. */
record Created(UUID messageId, int n) implements IntegrationEvent {}
