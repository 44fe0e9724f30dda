package io.inbox4j.operations;

import java.time.Instant;
import java.util.UUID;

/**
 * A dead message: one that was given up on.
 *
 * @param sequence its position in arrival order
 * @param endpoint the endpoint that received it
 * @param messageId its identity
 * @param type the event's type
 * @param attempts how many attempts failed
 * @param replays how many times it was replayed before
 * @param error the last failure
 * @param deadAt when it became dead
 */
public record DeadMessage(
    long sequence,
    String endpoint,
    UUID messageId,
    String type,
    int attempts,
    int replays,
    String error,
    Instant deadAt) {}
