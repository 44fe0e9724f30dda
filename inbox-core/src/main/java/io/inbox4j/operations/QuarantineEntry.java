package io.inbox4j.operations;

import io.inbox4j.listener.QuarantineReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a delivery that could not be stored as an event, without what came.
 *
 * @param sequence its place in the quarantine
 * @param endpoint where it came from
 * @param reason why
 * @param detail why, for a person
 * @param quarantinedAt since when
 * @param messageId the message id among its properties, or null
 * @param type the type among its properties, or null
 * @param bodySize how many bytes its body has
 */
public record QuarantineEntry(
    long sequence,
    String endpoint,
    QuarantineReason reason,
    String detail,
    Instant quarantinedAt,
    @Nullable String messageId,
    @Nullable String type,
    long bodySize) {}
