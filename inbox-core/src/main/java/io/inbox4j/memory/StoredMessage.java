package io.inbox4j.memory;

import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message as it was received.
 *
 * @param emptied whether it has lost its body to the retention
 */
record StoredMessage(
    long sequence,
    String endpoint,
    UUID messageId,
    String type,
    @Nullable String orderingKey,
    @Nullable String headers,
    Delivery delivery,
    Instant receivedAt,
    boolean emptied) {

  /** What makes a repeated delivery a duplicate. */
  record Identity(String endpoint, UUID messageId) {}

  static StoredMessage of(
      ValidatedDelivery.Event event, String endpoint, long sequence, Instant receivedAt) {
    return new StoredMessage(
        sequence,
        endpoint,
        event.messageId(),
        event.type(),
        event.orderingKey(),
        event.headers(),
        event.delivery(),
        receivedAt,
        false);
  }

  Identity identity() {
    return new Identity(endpoint, messageId);
  }

  boolean conflictsWith(ValidatedDelivery.Event event) {
    return !emptied
        && !(type.equals(event.type()) && Arrays.equals(delivery.body(), event.delivery().body()));
  }

  StoredMessage empty() {
    return new StoredMessage(
        sequence,
        endpoint,
        messageId,
        type,
        orderingKey,
        null,
        new Delivery(null, null, null, null, null, null, Map.of(), new byte[0], false),
        receivedAt,
        true);
  }
}
