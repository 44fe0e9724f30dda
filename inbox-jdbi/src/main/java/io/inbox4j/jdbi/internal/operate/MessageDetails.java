package io.inbox4j.jdbi.internal.operate;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about a message.
 *
 * @param status its status, as the view {@code inbox} names it
 * @param dueAt when it is due, or null if it is not pending
 * @param crashes how many crashes it was in flight in, of those that count
 * @param leased whether it is pending under a lease
 * @param emptied whether retention has removed its headers and body
 */
@SuppressWarnings("ArrayRecordComponent") // for a single reader
public record MessageDetails(
    long sequence,
    UUID messageId,
    String endpoint,
    String type,
    String status,
    int attempts,
    Instant receivedAt,
    @Nullable Instant processedAt,
    @Nullable Instant deadAt,
    @Nullable Instant dueAt,
    int crashes,
    boolean leased,
    @Nullable String error,
    @Nullable String orderingKey,
    @Nullable String correlationId,
    @Nullable String source,
    @Nullable String contentType,
    boolean redelivered,
    boolean emptied,
    @Nullable String headers,
    byte[] body) {}
