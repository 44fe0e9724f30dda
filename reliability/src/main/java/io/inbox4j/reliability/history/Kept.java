package io.inbox4j.reliability.history;

import org.jspecify.annotations.Nullable;

/**
 * A message that is in the inbox and was not handled.
 *
 * @param id its message id, as it came
 * @param why its error or the reason
 */
public record Kept(String endpoint, @Nullable String id, String why) {}
