package io.inbox4j.benchmarks.lab;

import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes orders with bodies of 1 KB and time-ordered ids, as producers should choose them. */
public final class Orders {

  public static final String TYPE = "orders.order-placed";
  private static final int BODY_SIZE = 1_024;

  private final AtomicLong next = new AtomicLong(1L << 40);

  public UUID nextId() {
    long number = next.incrementAndGet();
    return new UUID((number << 16) | 0x7000, 0x8000000000000000L | number);
  }

  public static byte[] body(UUID id) {
    String head =
        "{\"messageId\":\"%s\",\"order\":\"%s\",\"amount\":7,\"note\":\"".formatted(id, id);
    return (head + "x".repeat(BODY_SIZE - head.length() - 2) + "\"}")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** This many bodies, as those take them who know nothing of an inbox. */
  public List<String> bodies(int count) {
    List<String> bodies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bodies.add(new String(body(nextId()), StandardCharsets.UTF_8));
    }
    return bodies;
  }

  public ValidatedDelivery nextArrival(@Nullable String orderingKey) {
    UUID id = nextId();
    Delivery delivery =
        new Delivery(
            id.toString(), TYPE, "application/json", null, null, null, Map.of(), body(id), false);
    return new ValidatedDelivery.Event(delivery, null, id, TYPE, orderingKey, null);
  }

  /** This many arrivals with these keys. */
  public List<ValidatedDelivery> arrivals(int count, Supplier<@Nullable String> keys) {
    List<ValidatedDelivery> arrivals = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      arrivals.add(nextArrival(keys.get()));
    }
    return arrivals;
  }
}
