package io.inbox4j.operations;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.time.Instant;

/**
 * A quarantined delivery: one that could not be stored as an event.
 *
 * @param sequence its position in the quarantine
 * @param endpoint the endpoint that received it
 * @param reason why it was quarantined
 * @param detail the reason in human-readable form
 * @param quarantinedAt when it was quarantined
 * @param delivery the delivery, byte for byte as received
 */
public record QuarantinedMessage(
    long sequence,
    String endpoint,
    QuarantineReason reason,
    String detail,
    Instant quarantinedAt,
    Delivery delivery) {}
