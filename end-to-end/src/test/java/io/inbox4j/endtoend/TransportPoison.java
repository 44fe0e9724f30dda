package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What the broker takes and no client can read: it kills every connection that it comes on. */
final class TransportPoison {

  private static final int TOO_DEEP = 40;

  private TransportPoison() {}

  static Stream<BadInput> all() {
    return Stream.of(
        poison(
            "headers 40 deep",
            BadInput.good().headers(Map.of("deep", OddHeaders.nested(TOO_DEEP))).build()),
        poison("lists 40 deep", BadInput.good().headers(Map.of("deep", lists(TOO_DEEP))).build()));
  }

  private static Object lists(int depth) {
    return depth == 0 ? "bottom" : List.of(lists(depth - 1));
  }

  private static BadInput poison(String name, BasicProperties properties) {
    return new BadInput(
        name,
        properties,
        BadInput.bytes("{}"),
        BadInput.Fate.DEAD_LETTERED,
        null,
        "the client fails before the inbox sees it; after the delivery limit the broker gives up");
  }
}
