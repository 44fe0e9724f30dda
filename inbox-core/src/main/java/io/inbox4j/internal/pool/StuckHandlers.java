package io.inbox4j.internal.pool;

import java.time.Duration;

/**
 * The handlers that have not returned although their timeout passed or their lease was lost, and
 * they were interrupted.
 *
 * @param handlers how many there are
 * @param longest for how long the first of them has been stuck
 */
public record StuckHandlers(int handlers, Duration longest) {

  public static final StuckHandlers NONE = new StuckHandlers(0, Duration.ZERO);
}
