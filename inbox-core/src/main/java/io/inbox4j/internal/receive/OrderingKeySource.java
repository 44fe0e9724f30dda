package io.inbox4j.internal.receive;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.KnownType;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where an endpoint finds the ordering key, whose messages are handled one after the other. */
public sealed interface OrderingKeySource {

  /** The maximum length of a key, in characters. */
  int MAX_LENGTH = 255;

  /** Messages have no ordering key. */
  record None() implements OrderingKeySource {}

  /** In a header of this name. */
  record InHeader(String name) implements OrderingKeySource {}

  /** In the event itself; the first that matches its class applies. */
  record InEvent(List<KeyOf<?>> keys) implements OrderingKeySource {

    public InEvent {
      keys = List.copyOf(keys);
    }

    @Nullable String of(IntegrationEvent event) {
      for (KeyOf<?> key : keys) {
        if (key.event.isInstance(event)) {
          return key.of(event);
        }
      }
      return null;
    }
  }

  /** The key of events of a class, or of all classes that implement an interface. */
  record KeyOf<T extends IntegrationEvent>(
      Class<T> event, Function<? super T, ? extends @Nullable Object> key) {

    private @Nullable String of(IntegrationEvent it) {
      Object found = key.apply(event.cast(it));
      return found == null ? null : found.toString();
    }
  }

  /** The key of a delivery, or null if it has none. */
  default @Nullable String of(
      Delivery delivery, String type, UUID messageId, EventTypes<?> types, EventReader reader)
      throws RejectedDelivery {
    String key = null;
    if (this instanceof InHeader header) {
      Object value = delivery.headers().get(header.name);
      key = value == null ? null : value.toString();
    } else if (this instanceof InEvent event) {
      key = event.of(read(delivery, type, messageId, types, reader));
    }
    if (key == null || key.isEmpty()) {
      return null;
    }
    if (key.length() > MAX_LENGTH) {
      throw new RejectedDelivery(
          QuarantineReason.BAD_ORDERING_KEY,
          "the ordering key has %d characters; at most %d are accepted"
              .formatted(key.length(), MAX_LENGTH));
    }
    return key;
  }

  private static <T extends IntegrationEvent> T read(
      Delivery delivery, String type, UUID messageId, EventTypes<T> types, EventReader reader)
      throws RejectedDelivery {
    KnownType<T> known = types.find(type);
    if (known == null) {
      throw new IllegalStateException("the type was checked before");
    }
    try {
      return reader.read(delivery.contentType(), delivery.body(), known, messageId);
    } catch (UnreadableEventException e) {
      throw new RejectedDelivery(QuarantineReason.UNREADABLE, String.valueOf(e.getMessage()));
    }
  }
}
