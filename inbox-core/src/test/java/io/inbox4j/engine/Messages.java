package io.inbox4j.engine;

import io.inbox4j.event.MessageIds;
import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/** Messages of the endpoint {@code orders}. */
final class Messages {

  static final String ENDPOINT = "orders";
  static final String TYPE = "created";

  private Messages() {}

  static UUID id(int n) {
    return MessageIds.of("order", n);
  }

  /** This many, from 0 on. */
  static List<Delivery> deliveries(int count) {
    return IntStream.range(0, count).mapToObj(Messages::created).toList();
  }

  static Delivery created(int n) {
    return delivery(id(n).toString(), TYPE, "correlation", "shop", "{\"n\":" + n + "}");
  }

  static Delivery delivery(String id, String type, String correlation, String source, String body) {
    return new Delivery(
        id,
        type,
        "application/json",
        null,
        correlation,
        source,
        Map.of(),
        body.getBytes(StandardCharsets.UTF_8),
        false);
  }
}
