package io.inbox4j.operations;

import java.time.Instant;

/**
 * That the messages of an endpoint are not handled.
 *
 * @param by who said so
 * @param reason why
 * @param since since when
 */
public record Pause(String by, String reason, Instant since) {}
