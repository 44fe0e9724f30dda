package io.inbox4j.engine;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** Another event. */
record Cancelled(UUID messageId, int n) implements IntegrationEvent {}
