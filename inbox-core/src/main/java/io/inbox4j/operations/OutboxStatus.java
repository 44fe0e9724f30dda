package io.inbox4j.operations;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an outbox has.
 *
 * @param waiting how many messages wait to be sent, as far as counted
 * @param oldest for how long the oldest of them has waited, or null if there is none
 * @param scheduled how many are not due yet, as far as counted
 * @param dead how many could not be sent, as far as counted
 */
public record OutboxStatus(long waiting, @Nullable Duration oldest, long scheduled, long dead) {}
