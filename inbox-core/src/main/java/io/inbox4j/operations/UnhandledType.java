package io.inbox4j.operations;

/**
 * An event type that waits because no running process handles it.
 *
 * @param endpoint the endpoint
 * @param type the type
 * @param quarantined whether its deliveries are quarantined; otherwise its messages are pending
 */
public record UnhandledType(String endpoint, String type, boolean quarantined) {}
