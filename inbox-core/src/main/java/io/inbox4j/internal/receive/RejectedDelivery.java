package io.inbox4j.internal.receive;

import io.inbox4j.internal.log.ForeignText;
import io.inbox4j.listener.QuarantineReason;

/**
 * Thrown when validation rejects a delivery; caught by {@link DeliveryValidator}.
 *
 * <p>Its detail contains names that the producer chose, and is logged: it is one line, whatever
 * they contain, and of readable length.
 */
final class RejectedDelivery extends Exception {

  private static final int MAX_LENGTH = 1_000;

  private final QuarantineReason reason;

  RejectedDelivery(QuarantineReason reason, String detail) {
    super(oneLine(detail), null, false, false);
    this.reason = reason;
  }

  QuarantineReason reason() {
    return reason;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  private static String oneLine(String text) {
    return ForeignText.oneLine(
        text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH - 1) + "…");
  }
}
