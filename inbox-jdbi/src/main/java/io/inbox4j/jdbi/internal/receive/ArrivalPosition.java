package io.inbox4j.jdbi.internal.receive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a message is in the order of arrival.
 *
 * @param sequence its sequence; null if the next one is to be taken
 * @param arrivedAt when it arrived; null if it arrives just now
 */
public record ArrivalPosition(@Nullable Long sequence, @Nullable Instant arrivedAt) {}
