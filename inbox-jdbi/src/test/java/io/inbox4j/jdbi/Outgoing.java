package io.inbox4j.jdbi;

import io.inbox4j.event.MessageIds;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/** Outgoing messages, known by their number. */
final class Outgoing {

  static final long BYTES = 16L << 20;

  private Outgoing() {}

  static UUID id(int n) {
    return MessageIds.of("order", n);
  }

  static OutgoingMessage message(int n) {
    return keyed(n, null);
  }

  static OutgoingMessage keyed(int n, String key) {
    return new OutgoingMessage(
        id(n),
        new OutgoingMessage.Topic("shop.created"),
        "created",
        "application/json",
        ("{\"n\":" + n + "}").getBytes(StandardCharsets.UTF_8),
        Map.of(),
        null,
        null,
        key,
        null,
        null);
  }

  /** The messages from {@code first} on, this many. */
  static List<StoredOutgoing> messages(int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(n -> StoredOutgoing.now(message(n)))
        .toList();
  }

  static int number(OutboxReader.Entry entry) {
    String body = new String(entry.message().body(), StandardCharsets.UTF_8);
    return Integer.parseInt(body.replaceAll("\\D", ""));
  }

  static List<Integer> numbers(List<OutboxReader.Entry> entries) {
    return entries.stream().map(Outgoing::number).toList();
  }

  static List<Long> sequences(List<OutboxReader.Entry> entries) {
    return entries.stream().map(OutboxReader.Entry::sequence).toList();
  }
}
