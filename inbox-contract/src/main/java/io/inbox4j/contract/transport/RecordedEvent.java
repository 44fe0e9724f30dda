package io.inbox4j.contract.transport;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/** The event of the contract's endpoints. */
record RecordedEvent(UUID messageId) implements IntegrationEvent {}
