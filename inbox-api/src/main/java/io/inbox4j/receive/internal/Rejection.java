package io.inbox4j.receive.internal;

import io.inbox4j.receive.QuarantineReason;

/** Thrown by a check at the door, caught by {@link DeliveryCheck}. */
final class Rejection extends Exception {

  private final QuarantineReason reason;

  Rejection(QuarantineReason reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  QuarantineReason reason() {
    return reason;
  }

  String detail() {
    return String.valueOf(getMessage());
  }
}
