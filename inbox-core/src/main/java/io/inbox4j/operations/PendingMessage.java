package io.inbox4j.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that is still to be handled.
 *
 * @param sequence its place in arrival order
 * @param endpoint where it came from
 * @param messageId its identity
 * @param type the event's type
 * @param attempts how many attempts failed
 * @param error the last failure, or null if there was none
 * @param orderingKey the key whose later messages wait for it, or null
 * @param receivedAt since when it is stored
 * @param dueAt when it is to be handled; of one in hand, when others may take it
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
