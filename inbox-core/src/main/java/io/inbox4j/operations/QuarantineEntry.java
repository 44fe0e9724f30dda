package io.inbox4j.operations;

import io.inbox4j.listener.QuarantineReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a quarantined delivery, without its body and headers.
 *
 * @param sequence its position in the quarantine
 * @param endpoint the endpoint that received it
 * @param reason why it was quarantined
 * @param detail the reason in human-readable form
 * @param quarantinedAt when it was quarantined
 * @param messageId the message id in its properties, or null
 * @param type the type in its properties, or null
 * @param bodySize the size of its body in bytes
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
