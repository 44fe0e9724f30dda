package io.inbox4j.endtoend;

import static io.inbox4j.receive.QuarantineReason.BAD_ID;
import static io.inbox4j.receive.QuarantineReason.BODY_TOO_LARGE;
import static io.inbox4j.receive.QuarantineReason.CHARSET;
import static io.inbox4j.receive.QuarantineReason.CONTENT_ENCODING;
import static io.inbox4j.receive.QuarantineReason.CONTENT_TYPE;
import static io.inbox4j.receive.QuarantineReason.EMPTY_BODY;
import static io.inbox4j.receive.QuarantineReason.HEADERS_TOO_LARGE;
import static io.inbox4j.receive.QuarantineReason.ID_CONFLICT;
import static io.inbox4j.receive.QuarantineReason.ID_MISMATCH;
import static io.inbox4j.receive.QuarantineReason.INVALID_JSON;
import static io.inbox4j.receive.QuarantineReason.JSON_LIMIT;
import static io.inbox4j.receive.QuarantineReason.MISSING_ID;
import static io.inbox4j.receive.QuarantineReason.MISSING_TYPE;
import static io.inbox4j.receive.QuarantineReason.NOT_AN_OBJECT;
import static io.inbox4j.receive.QuarantineReason.NOT_UTF8;
import static io.inbox4j.receive.QuarantineReason.UNKNOWN_TYPE;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.receive.QuarantineReason;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A message that cannot be stored as an event.
 *
 * @param explanation what a person must be told, in part
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record BadInput(
    String name,
    BasicProperties properties,
    byte[] body,
    QuarantineReason reason,
    String explanation) {

  static final int MAX_BODY = 10_000;
  static final int MAX_HEADERS = 2_000;

  /** An order that is there before, for what contradicts it. */
  static final String STORED = "stored before";

  static Stream<BadInput> all() {
    return Stream.of(identities(), types(), contents(), texts(), documents()).flatMap(s -> s);
  }

  private static Stream<BadInput> identities() {
    UUID stored = Publisher.idOf(STORED);
    return Stream.of(
        of("no id", ids(null), "{\"order\":\"o\",\"amount\":1}", MISSING_ID, "neither"),
        of("a blank id", ids("  "), "{}", BAD_ID, "blank"),
        of("a damaged id", ids("order-\uFFFD"), "{}", BAD_ID, "not valid UTF-8"),
        of(
            "an endless id",
            ids(null),
            "{\"messageId\":\"%s\"}".formatted("7".repeat(300)),
            BAD_ID,
            "300 characters; at most 255"),
        of("a number as id", ids(null), "{\"messageId\":7}", BAD_ID, "is a JSON number"),
        of("an object as id", ids(null), "{\"messageId\":{}}", BAD_ID, "is a JSON object"),
        of(
            "two ids",
            ids(null),
            "{\"messageId\":\"a\",\"messageId\":\"b\"}",
            BAD_ID,
            "messageId twice"),
        of(
            "ids that differ",
            ids("one"),
            "{\"messageId\":\"other\"}",
            ID_MISMATCH,
            "property is 'one', the body's messageId is 'other'"),
        of(
            "an id of half a character",
            ids("one"),
            "{\"messageId\":\"\\ud800\"}",
            BAD_ID,
            "not valid UTF-8"),
        of(
            "an id with a zero character",
            ids("one"),
            "{\"messageId\":\"a\\u0000b\"}",
            ID_MISMATCH,
            "property is 'one'"),
        of(
            "another body under a known id",
            ids(stored.toString()),
            new String(Publisher.body(stored, STORED, 2), StandardCharsets.UTF_8),
            ID_CONFLICT,
            "stored with another body or type"));
  }

  private static Stream<BadInput> types() {
    return Stream.of(
        of("no type", good().type(null), "{}", MISSING_TYPE, "knows several: orders.order-canc"),
        of(
            "an unknown type",
            good().type("orders.order-lost"),
            "{}",
            UNKNOWN_TYPE,
            "the type is 'orders.order-lost'; this endpoint knows: orders.order-cancelled"),
        of(
            "the name of a class as type",
            good().type("java.lang.Runtime"),
            "{}",
            UNKNOWN_TYPE,
            "the type is 'java.lang.Runtime'"),
        of(
            "a known type in capitals",
            good().type("ORDERS.ORDER-PLACED"),
            "{}",
            UNKNOWN_TYPE,
            "'ORDERS.ORDER-PLACED'"));
  }

  private static Stream<BadInput> contents() {
    return Stream.of(
        of("xml", good().contentType("text/xml"), "<order/>", CONTENT_TYPE, "'text/xml'"),
        of("no mime type", good().contentType("json"), "{}", CONTENT_TYPE, "reads: applic"),
        of(
            "another charset",
            good().contentType("application/json; charset=iso-8859-1"),
            "{}",
            CHARSET,
            "expected the charset utf-8"),
        of("gzip", good().contentEncoding("gzip"), "{}", CONTENT_ENCODING, "'gzip'"),
        of("no body", good(), "", EMPTY_BODY, "empty"),
        of("white space", good(), " \r\n\t", EMPTY_BODY, "nothing but white space"),
        of(
            "a large body",
            good(),
            "{\"order\":\"%s\"}".formatted("x".repeat(MAX_BODY)),
            BODY_TOO_LARGE,
            "this endpoint accepts 10,000"),
        of(
            "large headers",
            good().headers(Map.of("trace", "x".repeat(MAX_HEADERS))),
            "{}",
            HEADERS_TOO_LARGE,
            "this endpoint accepts 2,000"));
  }

  private static Stream<BadInput> texts() {
    return Stream.of(
        of("utf-16", "{}".getBytes(StandardCharsets.UTF_16BE), NOT_UTF8, "zero bytes"),
        of("latin-1", "{\"a\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1), NOT_UTF8, "UTF-8"),
        of("random bytes", new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF}, NOT_UTF8, "not valid UTF"),
        of("a byte order mark", "\uFEFF{}", INVALID_JSON, "byte order mark"));
  }

  private static Stream<BadInput> documents() {
    return Stream.of(
        of("plain text", "order 7", INVALID_JSON, "line 1, column"),
        of("half an object", "{\"order\":\"o\",", INVALID_JSON, "breaks off"),
        of("an open text", "{\"order\":\"o", INVALID_JSON, "breaks off"),
        of("two objects", "{} {}", INVALID_JSON, "something follows"),
        of("rubbish at the end", "{}x", INVALID_JSON, "not valid JSON"),
        of("single quotes", "{'order':'o'}", INVALID_JSON, "not valid JSON"),
        of("a comment", "{/* */}", INVALID_JSON, "not valid JSON"),
        of("no number", "{\"amount\":NaN}", INVALID_JSON, "not valid JSON"),
        of("a leading zero", "{\"amount\":007}", INVALID_JSON, "not valid JSON"),
        of("a line break in a text", "{\"order\":\"a\nb\"}", INVALID_JSON, "not valid JSON"),
        of("an array", "[{}]", NOT_AN_OBJECT, "is a JSON array"),
        of("a text", "\"order\"", NOT_AN_OBJECT, "is a JSON string"),
        of("null", "null", NOT_AN_OBJECT, "is a JSON null"),
        of("deep nesting", "{\"a\":" + "[".repeat(2_000), JSON_LIMIT, "nesting depth"),
        of("a long number", "{\"amount\":%s}".formatted("9".repeat(500)), JSON_LIMIT, "500"));
  }

  private static BasicProperties.Builder good() {
    return Publisher.order(UUID.randomUUID()).builder();
  }

  private static BasicProperties.Builder ids(String id) {
    return good().messageId(id);
  }

  private static BadInput of(String name, String body, QuarantineReason reason, String text) {
    return of(name, good(), body, reason, text);
  }

  private static BadInput of(String name, byte[] body, QuarantineReason reason, String text) {
    return new BadInput(name, good().build(), body, reason, text);
  }

  private static BadInput of(
      String name,
      BasicProperties.Builder properties,
      String body,
      QuarantineReason reason,
      String explanation) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return new BadInput(name, properties.build(), bytes, reason, explanation);
  }
}
