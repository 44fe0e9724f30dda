package io.inbox4j.operations;

import java.time.Instant;

/**
 * A pause of an endpoint, during which its messages are not handled.
 *
 * @param by who paused it
 * @param reason why
 * @param since since when
 */
public record Pause(String by, String reason, Instant since) {}
