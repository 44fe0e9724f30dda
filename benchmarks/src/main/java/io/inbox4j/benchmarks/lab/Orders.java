package io.inbox4j.benchmarks;

import io.inbox4j.receive.Arrival;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Makes orders with bodies of 1 KB and time-ordered ids, as producers should choose them. */
final class Orders {

  static final String TYPE = "orders.order-placed";
  private static final int BODY_SIZE = 1_024;

  private final AtomicLong next = new AtomicLong(1L << 40);

  UUID nextId() {
    long number = next.incrementAndGet();
    return new UUID((number << 16) | 0x7000, 0x8000000000000000L | number);
  }

  static byte[] body(UUID id) {
    String head =
        "{\"messageId\":\"%s\",\"order\":\"%s\",\"amount\":7,\"note\":\"".formatted(id, id);
    return (head + "x".repeat(BODY_SIZE - head.length() - 2) + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  Arrival nextArrival() {
    return nextArrival(null);
  }

  Arrival nextArrival(@Nullable String orderingKey) {
    UUID id = nextId();
    Delivery delivery =
        new Delivery(
            id.toString(), TYPE, "application/json", null, null, null, Map.of(), body(id), false);
    return new Arrival.Event(delivery, null, id, TYPE, orderingKey, null);
  }
}
