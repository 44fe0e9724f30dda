package io.inbox4j.receive.internal;

import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventReader;
import io.inbox4j.event.EventTypes;
import io.inbox4j.event.KnownType;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.receive.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where an endpoint finds the key of messages that are handled one after the other. */
public sealed interface OrderingKey {

  /** The longest key that is accepted, in characters. */
  int MAX_LENGTH = 255;

  /** Messages have no order. */
  record None() implements OrderingKey {}

  /** In a header of this name. */
  record InHeader(String name) implements OrderingKey {}

  /** In the event itself. */
  record InEvent(Function<? super IntegrationEvent, @Nullable String> extractor)
      implements OrderingKey {}

  /** The key of a delivery, or null if it has none. */
  default @Nullable String of(
      Delivery delivery, String type, UUID messageId, EventTypes<?> types, EventReader reader)
      throws Rejection {
    String key = null;
    if (this instanceof InHeader header) {
      Object value = delivery.headers().get(header.name);
      key = value == null ? null : value.toString();
    } else if (this instanceof InEvent event) {
      key = event.extractor.apply(read(delivery, type, messageId, types, reader));
    }
    if (key == null || key.isEmpty()) {
      return null;
    }
    if (key.length() > MAX_LENGTH) {
      throw new Rejection(
          QuarantineReason.BAD_ORDERING_KEY,
          "the ordering key has %d characters; at most %d are accepted"
              .formatted(key.length(), MAX_LENGTH));
    }
    return key;
  }

  private static <T extends IntegrationEvent> T read(
      Delivery delivery, String type, UUID messageId, EventTypes<T> types, EventReader reader)
      throws Rejection {
    KnownType<T> known = types.find(type);
    if (known == null) {
      throw new IllegalStateException("the type was checked before");
    }
    try {
      return reader.read(delivery.contentType(), delivery.body(), known, messageId);
    } catch (UnreadableEventException e) {
      throw new Rejection(QuarantineReason.UNREADABLE, String.valueOf(e.getMessage()));
    }
  }
}
