package io.inbox4j.reliability.history;

import java.time.Instant;
import java.util.UUID;

/**
 * That a message was published to a queue.
 *
 * @param endpoint the queue
 * @param id its message id
 * @param key its ordering key
 * @param step its place among the messages of its key, from 0
 * @param digest what tells its body from any other
 * @param confirmed whether the broker has said that it has it; if not, it may have it or not
 * @param at when it was published
 */
public record Publish(
    String endpoint,
    UUID id,
    String key,
    long step,
    String digest,
    boolean confirmed,
    Instant at) {}
