package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.handled;
import static io.inbox4j.endtoend.BadInput.quarantined;
import static io.inbox4j.listener.QuarantineReason.BAD_ORDERING_KEY;
import static io.inbox4j.listener.QuarantineReason.BAD_TIME;
import static io.inbox4j.listener.QuarantineReason.HEADERS_TOO_LARGE;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.impl.LongStringHelper;
import io.inbox4j.transport.NotBefore;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Headers and properties that are large, deep, forged or out of time. */
final class OddHeaders {

  private static final int DEEPEST = 30;
  private static final Date PAST_ALL_YEARS = Date.from(Instant.ofEpochMilli(Long.MAX_VALUE));
  private static final Date BEFORE_1970 = Date.from(Instant.ofEpochSecond(-1));
  private static final String DATA = "headers are data";

  private OddHeaders() {}

  static Stream<BadInput> all() {
    return Stream.of(headers(), forged(), times()).flatMap(inputs -> inputs);
  }

  private static Stream<BadInput> headers() {
    String large = "x".repeat(BadInput.MAX_HEADERS);
    return Stream.of(
        quarantined(
            "headers that are too large",
            header("trace", large),
            "{}",
            HEADERS_TOO_LARGE,
            "the headers have 2,012 bytes; this endpoint accepts 2,000"),
        quarantined(
            "headers of 100 KB",
            header("trace", "x".repeat(100_000)),
            "{}",
            HEADERS_TOO_LARGE,
            "the headers have 100,012 bytes; this endpoint accepts 2,000"),
        quarantined(
            "an endless ordering key",
            header(BadInput.ORDERING_KEY, "k".repeat(300)),
            "{\"order\":\"o\",\"amount\":1}",
            BAD_ORDERING_KEY,
            "the ordering key has 300 characters; at most 255 are accepted"),
        handled("an ordering key with a zero", header(BadInput.ORDERING_KEY, "a\0b"), DATA),
        handled("headers 30 deep", header("deep", nested(DEEPEST)), DATA),
        handled("a header without a name", header("", "no name"), DATA),
        handled("a header with a zero character", header("zero", "a\0b"), DATA),
        handled(
            "a header that is not UTF-8",
            header("bytes", LongStringHelper.asLongString(new byte[] {-1, -2})),
            DATA));
  }

  private static Stream<BadInput> forged() {
    Map<String, Object> death =
        Map.of("queue", "elsewhere", "reason", "rejected", "count", Long.MAX_VALUE);
    return Stream.of(
        handled(
            "a forged x-death", header("x-death", List.of(death)), "the inbox counts by itself"),
        handled(
            "an x-death of rubbish", header("x-death", "rubbish"), "the inbox counts by itself"),
        handled(
            "a forged x-delivery-count",
            header("x-delivery-count", 1_000_000L),
            "the broker counts by itself"),
        handled(
            "a negative x-delivery-count",
            header("x-delivery-count", -5),
            "the broker counts by itself"));
  }

  private static Stream<BadInput> times() {
    String time = "expected an ISO 8601 time such as 2030-01-31T08:00:00Z";
    return Stream.of(
        quarantined("a time that is none", notBefore("soon"), "{}", BAD_TIME, time),
        quarantined("a time before 1970", notBefore(-1L), "{}", BAD_TIME, time),
        quarantined("a time past all years", notBefore(Long.MAX_VALUE), "{}", BAD_TIME, time),
        quarantined(
            "a time of an AMQP type past all years",
            notBefore(PAST_ALL_YEARS),
            "{}",
            BAD_TIME,
            time),
        quarantined(
            "a time of another age",
            notBefore("9999-01-01T00:00:00Z"),
            "{}",
            BAD_TIME,
            "this endpoint accepts times up to 366 days ahead"),
        handled("a timestamp before 1970", good().timestamp(BEFORE_1970), "it is not used"),
        handled("a timestamp past all years", good().timestamp(PAST_ALL_YEARS), "it is not used"));
  }

  private static BasicProperties.Builder notBefore(Object value) {
    return header(NotBefore.HEADER, value);
  }

  private static BasicProperties.Builder header(String name, Object value) {
    return good().headers(Map.of(name, value));
  }

  static Object nested(int depth) {
    return depth == 0 ? "bottom" : Map.of("level", nested(depth - 1));
  }
}
