package io.inbox4j.memory;

import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.transport.Delivery;
import java.time.Instant;
import java.util.UUID;

/**
 * A delivery in quarantine.
 *
 * @param place its position in arrival order, should it become an event
 * @param fingerprint the same for every redelivery
 */
record QuarantineRow(
    long sequence,
    String endpoint,
    QuarantineReason reason,
    String detail,
    Instant at,
    Delivery delivery,
    long place,
    UUID fingerprint) {

  String text() {
    return reason.code() + " " + detail;
  }

  QuarantineRow found(QuarantineReason now, String why) {
    return new QuarantineRow(sequence, endpoint, now, why, at, delivery, place, fingerprint);
  }

  QuarantinedMessage listed() {
    return new QuarantinedMessage(sequence, endpoint, reason, detail, at, delivery);
  }

  QuarantineEntry entry() {
    return new QuarantineEntry(
        sequence,
        endpoint,
        reason,
        detail,
        at,
        delivery.messageId(),
        delivery.type(),
        delivery.body().length);
  }
}
