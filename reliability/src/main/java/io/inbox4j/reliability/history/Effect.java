package io.inbox4j.reliability.history;

import java.time.Instant;
import java.util.UUID;

/**
 * That a handler's transaction was committed.
 *
 * @param place its place among all effects; within a key that is the order they happened in
 * @param at when it happened
 */
public record Effect(
    long place, String endpoint, UUID id, String key, long step, String digest, Instant at) {}
