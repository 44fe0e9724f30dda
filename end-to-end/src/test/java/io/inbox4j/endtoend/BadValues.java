package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.dead;
import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.handled;

import java.util.stream.Stream;

/** JSON objects whose values are not what the event's class or its handler expects. */
final class BadValues {

  private static final String NO_INT = "at 'amount': expected int";

  private static final String OUT_OF_RANGE = "a number is out of the range of int";

  private BadValues() {}

  static Stream<BadInput> all() {
    return Stream.of(
        dead("a number that is too large", amount("2147483648"), OUT_OF_RANGE),
        dead("a number that is too small", amount("-2147483649"), OUT_OF_RANGE),
        dead("a number past all integers", amount("9".repeat(99)), OUT_OF_RANGE),
        cancelled(
            "a number past all doubles",
            "1e400",
            "at 'refund': a number is out of the range of double"),
        cancelled("the text NaN for a number", "\"NaN\"", "at 'refund': expected java.lang.Double"),
        dead("a fraction for an integer", amount("1.9"), NO_INT),
        dead("a text for an integer", amount("\"7\""), NO_INT),
        dead("an object for an integer", amount("{}"), NO_INT),
        dead("null for an integer", amount("null"), NO_INT),
        dead(
            "no amount",
            "{\"order\":\"o\"}",
            "the body does not fit " + OrderPlaced.class.getName()),
        dead("an empty object", "{}", "the body does not fit " + OrderPlaced.class.getName()),
        dead(
            "a zero character in a text",
            "{\"order\":\"a\\u0000b\",\"amount\":1}",
            "invalid byte sequence for encoding"),
        handled(
            "a field twice",
            good(),
            "{\"order\":\"first\",\"order\":\"a field twice\",\"amount\":1}",
            "the last one counts"),
        handled(
            "half a character in a text",
            good(),
            "{\"order\":\"half a character in a text\",\"amount\":1,\"note\":\"\\ud800\"}",
            "JSON allows it"));
  }

  private static BadInput cancelled(String name, String refund, String explanation) {
    return dead(
        name,
        good().type("orders.order-cancelled"),
        "{\"order\":\"o\",\"refund\":%s}".formatted(refund),
        explanation);
  }

  private static String amount(String value) {
    return "{\"order\":\"o\",\"amount\":%s}".formatted(value);
  }
}
