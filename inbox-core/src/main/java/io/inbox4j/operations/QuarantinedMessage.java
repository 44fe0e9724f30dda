package io.inbox4j.operations;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.time.Instant;

/**
 * A delivery that could not be stored as an event.
 *
 * @param sequence its place in the quarantine
 * @param endpoint where it came from
 * @param reason why
 * @param detail why, for a person
 * @param quarantinedAt since when
 * @param delivery what came, byte for byte
 */
public record QuarantinedMessage(
    long sequence,
    String endpoint,
    QuarantineReason reason,
    String detail,
    Instant quarantinedAt,
    Delivery delivery) {}
