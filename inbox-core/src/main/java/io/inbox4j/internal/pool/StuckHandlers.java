package io.inbox4j.internal.pool;

import java.time.Duration;

/**
 * Handlers that have not returned though their time was up or their lease was lost, and they were
 * interrupted.
 *
 * @param handlers how many there are
 * @param longest for how long the first of them has been there
 */
public record StuckHandlers(int handlers, Duration longest) {

  public static final StuckHandlers NONE = new StuckHandlers(0, Duration.ZERO);
}
