package io.inbox4j.jdbi.internal.receive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The position of a message in the arrival order.
 *
 * @param sequence its sequence; null to take the next one
 * @param arrivedAt when it arrived; null for now
 */
public record ArrivalPosition(@Nullable Long sequence, @Nullable Instant arrivedAt) {}
