package io.inbox4j.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that is still to be handled.
 *
 * @param sequence its position in arrival order
 * @param endpoint the endpoint that received it
 * @param messageId its identity
 * @param type the event's type
 * @param attempts how many attempts failed
 * @param error the last failure, or null if there was none
 * @param orderingKey the key whose later messages wait for it, or null
 * @param receivedAt when it was stored
 * @param dueAt when it is due; for one in flight, when other workers may claim it
 */
public record PendingMessage(
    long sequence,
    String endpoint,
    UUID messageId,
    String type,
    int attempts,
    @Nullable String error,
    @Nullable String orderingKey,
    Instant receivedAt,
    Instant dueAt) {}
