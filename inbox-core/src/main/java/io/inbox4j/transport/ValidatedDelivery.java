package io.inbox4j.transport;

import io.inbox4j.listener.QuarantineReason;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A delivery after validation: an event, or a rejection. */
public sealed interface ValidatedDelivery {

  /** The delivery as received. */
  Delivery delivery();

  /** The headers as JSON in ASCII, or null if there are none. */
  @Nullable String headers();

  /**
   * A valid event; events with the same ordering key, if any, are handled in this order, and none
   * before its {@code notBefore}, if it has one.
   */
  record Event(
      Delivery delivery,
      @Nullable String headers,
      UUID messageId,
      String type,
      @Nullable String orderingKey,
      @Nullable Instant notBefore)
      implements ValidatedDelivery {

    /** An event without an ordering key, due at once. */
    public Event(Delivery delivery, @Nullable String headers, UUID messageId, String type) {
      this(delivery, headers, messageId, type, null, null);
    }

    /** Identifies the delivery without revealing its content. */
    @Override
    public String toString() {
      return "Event[%s, %s]".formatted(messageId, type);
    }
  }

  /** A delivery that is not a valid event, and why. */
  record Rejected(
      Delivery delivery, @Nullable String headers, QuarantineReason reason, String detail)
      implements ValidatedDelivery {

    /** Identifies the delivery without revealing its content. */
    @Override
    public String toString() {
      return "Rejected[%s, %s: %s]".formatted(delivery, reason.code(), detail);
    }
  }
}
