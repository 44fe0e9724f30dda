package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.quarantined;
import static io.inbox4j.listener.QuarantineReason.INVALID_JSON;
import static io.inbox4j.listener.QuarantineReason.JSON_LIMIT;
import static io.inbox4j.listener.QuarantineReason.NOT_AN_OBJECT;

import java.util.stream.Stream;

/** Texts that are not one JSON object, or one beyond all limits. */
final class BadDocuments {

  private BadDocuments() {}

  static Stream<BadInput> all() {
    return Stream.of(invalid(), notObjects(), beyondLimits()).flatMap(inputs -> inputs);
  }

  private static Stream<BadInput> invalid() {
    return Stream.of(
        invalid("plain text", "order 7", "not valid JSON at line 1, column"),
        invalid("an object that breaks off", "{\"order\":\"o\",", "it breaks off"),
        invalid("a text that breaks off", "{\"order\":\"o", "it breaks off"),
        invalid("two objects", "{} {}", "something follows the end of the JSON object"),
        invalid("an object twice", "{}{}", "something follows the end of the JSON object"),
        invalid("rubbish at the end", "{}x", "not valid JSON at line 1, column"),
        invalid("single quotes", "{'order':'o'}", "not valid JSON at line 1, column"),
        invalid("a comment", "{/* */}", "not valid JSON at line 1, column"),
        invalid("a comma too many", "{\"amount\":1,}", "not valid JSON at line 1, column"),
        invalid("NaN", "{\"amount\":NaN}", "not valid JSON at line 1, column"),
        invalid("a leading zero", "{\"amount\":007}", "not valid JSON at line 1, column"),
        invalid("a line break in a text", "{\"order\":\"a\nb\"}", "not valid JSON at line"));
  }

  private static Stream<BadInput> notObjects() {
    return Stream.of(
        notObject("an array", "[{}]", "array"),
        notObject("a text", "\"order\"", "string"),
        notObject("a number", "7", "number"),
        notObject("true", "true", "boolean"),
        notObject("null", "null", "null"));
  }

  private static Stream<BadInput> beyondLimits() {
    return Stream.of(
        limit(
            "nesting of 2,000 that breaks off",
            "{\"a\":" + "[".repeat(2_000),
            "nesting depth (101)"),
        limit(
            "nesting of 101",
            "{\"a\":%s%s}".formatted("[".repeat(100), "]".repeat(100)),
            "nesting depth (101)"),
        limit("a number of 500 digits", amount("9".repeat(500)), "Number value length (500)"),
        limit(
            "a fraction of 500 digits", amount("0." + "1".repeat(500)), "Number value length (50"),
        limit(
            "a number with an endless exponent", amount("1e999999999"), "the exponent of a number"),
        limit("a number next to nothing", amount("1e-999999999"), "the exponent of a number"),
        limit(
            "a field with a name of 60,000 characters",
            "{\"%s\":1}".formatted("n".repeat(60_000)),
            "exceeds the maximum allowed (50000"));
  }

  private static String amount(String number) {
    return "{\"order\":\"o\",\"amount\":%s}".formatted(number);
  }

  private static BadInput invalid(String name, String body, String explanation) {
    return quarantined(name, body, INVALID_JSON, explanation);
  }

  private static BadInput notObject(String name, String body, String kind) {
    return quarantined(
        name,
        body,
        NOT_AN_OBJECT,
        "the body is a JSON %s; an event is a JSON object".formatted(kind));
  }

  private static BadInput limit(String name, String body, String explanation) {
    return quarantined(name, body, JSON_LIMIT, explanation);
  }
}
