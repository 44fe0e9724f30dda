package io.inbox4j.jdbi;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a message is in the order of arrival.
 *
 * @param sequence its sequence; null if the next one is to be taken
 * @param arrivedAt when it arrived; null if it arrives just now
 */
record Place(@Nullable Long sequence, @Nullable Instant arrivedAt) {}
