package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.Delivery;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the broker takes and the client cannot read: it would kill every connection. */
final class TransportPoison {

  private static final int TOO_DEEP = 40;

  /** The largest that a client sends, with room for the other properties. */
  private static final int FULL = 130_900;

  private TransportPoison() {}

  static Stream<BadInput> all() {
    return Stream.of(
        poison(
            "headers 40 deep",
            BadInput.good().headers(Map.of("deep", OddHeaders.nested(TOO_DEEP))).build()),
        poison("lists 40 deep", BadInput.good().headers(Map.of("deep", lists(TOO_DEEP))).build()),
        new BadInput(
            "headers that fill a frame",
            BadInput.good().headers(Map.of("full", "x".repeat(FULL))).build(),
            BadInput.bytes("{}"),
            BadInput.Fate.QUARANTINED,
            QuarantineReason.HEADERS_TOO_LARGE,
            "this endpoint accepts 2,000"),
        new BadInput(
            "a forged x-inbox-unreadable-headers",
            BadInput.good().headers(Map.of(Delivery.UNREADABLE_HEADERS, "none")).build(),
            BadInput.bytes("{}"),
            BadInput.Fate.QUARANTINED,
            QuarantineReason.UNREADABLE,
            "headers cannot be read"));
  }

  private static Object lists(int depth) {
    return depth == 0 ? "bottom" : List.of(lists(depth - 1));
  }

  private static BadInput poison(String name, BasicProperties properties) {
    return new BadInput(
        name,
        properties,
        BadInput.bytes("{}"),
        BadInput.Fate.QUARANTINED,
        QuarantineReason.UNREADABLE,
        "headers cannot be read, nested too deeply or of an unknown type: deep");
  }
}
