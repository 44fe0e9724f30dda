package io.inbox4j.worker;

import io.inbox4j.IntegrationEvent;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

record OrderPlaced(@Nullable UUID messageId, int order) implements IntegrationEvent {}
