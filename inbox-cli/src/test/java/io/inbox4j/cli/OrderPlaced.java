package io.inbox4j.cli;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

record OrderPlaced(@Nullable UUID messageId, int order) implements IntegrationEvent {}
