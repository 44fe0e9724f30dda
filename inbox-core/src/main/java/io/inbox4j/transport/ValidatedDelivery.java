package io.inbox4j.transport;

import io.inbox4j.listener.QuarantineReason;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A delivery after the checks at the door. */
public sealed interface ValidatedDelivery {

  /** What came. */
  Delivery delivery();

  /** The headers as JSON in ASCII, or null if there are none. */
  @Nullable String headers();

  /**
   * It is an event; events with the same ordering key, if any, are handled in this order, and none
   * before its time, if it has one.
   */
  record Event(
      Delivery delivery,
      @Nullable String headers,
      UUID messageId,
      String type,
      @Nullable String orderingKey,
      @Nullable Instant notBefore)
      implements ValidatedDelivery {

    /** An event without an order, due at once. */
    public Event(Delivery delivery, @Nullable String headers, UUID messageId, String type) {
      this(delivery, headers, messageId, type, null, null);
    }

    /** Says what it is, never what is in it. */
    @Override
    public String toString() {
      return "Event[%s, %s]".formatted(messageId, type);
    }
  }

  /** It is not, and this is why. */
  record Rejected(
      Delivery delivery, @Nullable String headers, QuarantineReason reason, String detail)
      implements ValidatedDelivery {

    /** Says what it is, never what is in it. */
    @Override
    public String toString() {
      return "Rejected[%s, %s: %s]".formatted(delivery, reason.code(), detail);
    }
  }
}
