package io.inbox4j.internal.receive;

import static io.inbox4j.internal.receive.Deliveries.ID;
import static io.inbox4j.internal.receive.Deliveries.right;
import static io.inbox4j.listener.QuarantineReason.BAD_ID;
import static io.inbox4j.listener.QuarantineReason.BODY_TOO_LARGE;
import static io.inbox4j.listener.QuarantineReason.CHARSET;
import static io.inbox4j.listener.QuarantineReason.CONTENT_ENCODING;
import static io.inbox4j.listener.QuarantineReason.CONTENT_TYPE;
import static io.inbox4j.listener.QuarantineReason.EMPTY_BODY;
import static io.inbox4j.listener.QuarantineReason.HEADERS_TOO_LARGE;
import static io.inbox4j.listener.QuarantineReason.ID_MISMATCH;
import static io.inbox4j.listener.QuarantineReason.INVALID_JSON;
import static io.inbox4j.listener.QuarantineReason.JSON_LIMIT;
import static io.inbox4j.listener.QuarantineReason.MISSING_ID;
import static io.inbox4j.listener.QuarantineReason.MISSING_TYPE;
import static io.inbox4j.listener.QuarantineReason.NOT_AN_OBJECT;
import static io.inbox4j.listener.QuarantineReason.NOT_UTF8;
import static io.inbox4j.listener.QuarantineReason.UNKNOWN_TYPE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ValidatedDelivery;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryValidatorTest {

  record Created(UUID messageId) implements IntegrationEvent {}

  record Cancelled(UUID messageId) implements IntegrationEvent {}

  private static final EventTypes<IntegrationEvent> BOTH =
      EventTypes.of(List.of(Created.class, Cancelled.class));

  /** Something odd, why it is put aside, and what the explanation has in it. */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  private record Odd(String what, Deliveries delivery, QuarantineReason reason, String... parts) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Odd> odd() {
    String utf8 = "expected UTF-8";
    String json = "not valid JSON at line 1, column";
    String json2 = "content type is '%s'; this inbox reads: application/json, text/json";
    String both = "cancelled (Cancelled), created (Created)";
    return Stream.of(
        new Odd("no body", right().body(new byte[0]), EMPTY_BODY, "the body is empty"),
        new Odd("blank body", right().body(" \n\t "), EMPTY_BODY, "nothing but white space"),
        new Odd("array", right().body("[{}]"), NOT_AN_OBJECT, "JSON array", "an event is"),
        new Odd("text", right().body("'hello'"), NOT_AN_OBJECT, "JSON string", "JSON object"),
        new Odd("number", right().body("42"), NOT_AN_OBJECT, "JSON number", "JSON object"),
        new Odd("boolean", right().body("true"), NOT_AN_OBJECT, "JSON boolean", "JSON object"),
        new Odd("null", right().body("null"), NOT_AN_OBJECT, "JSON null", "JSON object"),
        new Odd("UTF-16", encoded(UTF_16), NOT_UTF8, "zero bytes", utf8),
        new Odd("UTF-16LE", encoded(UTF_16LE), NOT_UTF8, "zero bytes", utf8),
        new Odd("UTF-16BE", encoded(UTF_16BE), NOT_UTF8, "zero bytes", utf8),
        new Odd("UTF-32", encoded(Charset.forName("UTF-32")), NOT_UTF8, "UTF-32", utf8),
        new Odd("Latin-1", encoded(ISO_8859_1), NOT_UTF8, "not valid UTF-8"),
        new Odd("overlong", bytes('{', 0xC0, 0x80, '}'), NOT_UTF8, "not valid UTF-8"),
        new Odd("surrogate", bytes('{', 0xED, 0xA0, 0x80, '}'), NOT_UTF8, "not valid UTF-8"),
        new Odd("UTF-8 cut", bytes('{', '"', 0xE2, 0x82), NOT_UTF8, "not valid UTF-8"),
        new Odd("zero byte", bytes('{', '}', 0), NOT_UTF8, "zero bytes", utf8),
        new Odd("mark", right().body("\uFEFF{}"), INVALID_JSON, "byte order mark", "has none"),
        new Odd("truncated", right().body("{'a':[1,2"), INVALID_JSON, json, "breaks off"),
        new Odd("cut in a text", right().body("{'a':'b"), INVALID_JSON, json),
        new Odd("doubled", right().body("{}{}"), INVALID_JSON, "follows the end"),
        new Odd("trailing text", right().body("{} x"), INVALID_JSON, json),
        new Odd("trailing bracket", right().body("{}]"), INVALID_JSON, json),
        new Odd("trailing comma", right().body("{'a':1,}"), INVALID_JSON, json),
        new Odd("comment", right().body("{/* a */}"), INVALID_JSON, json),
        new Odd("NaN", right().body("{'a':NaN}"), INVALID_JSON, json),
        new Odd("leading zero", right().body("{'a':01}"), INVALID_JSON, json),
        new Odd("bare key", right().body("{a:1}"), INVALID_JSON, json),
        new Odd("control character", right().body("{'a':'\u0001'}"), INVALID_JSON, json),
        new Odd("XML", right().body("<event/>"), INVALID_JSON, json),
        new Odd("deep", right().body(nested(101)), JSON_LIMIT, "101", "100"),
        new Odd("long number", right().body(number(101)), JSON_LIMIT, "101", "100"),
        new Odd(
            "long fraction", right().body("{'a':0." + "1".repeat(100) + "}"), JSON_LIMIT, "100"),
        new Odd(
            "text/plain",
            right().contentType("text/plain"),
            CONTENT_TYPE,
            json2.formatted("text/plain")),
        new Odd("blank type", right().contentType(""), CONTENT_TYPE, json2.formatted("")),
        new Odd(
            "MassTransit",
            right().contentType("application/vnd.masstransit+json"),
            CONTENT_TYPE,
            json2.formatted("application/vnd.masstransit+json")),
        new Odd(
            "charset",
            right().contentType("application/json; charset=ISO-8859-1"),
            CHARSET,
            "'application/json; charset=ISO-8859-1'",
            "expected the charset utf-8"),
        new Odd("gzip", right().encoding("gzip"), CONTENT_ENCODING, "'gzip'", "not encoded"),
        new Odd("no id", right().id(null), MISSING_ID, "neither", "message-id", "messageId"),
        new Odd("id null", right().id(null).body("{'messageId':null}"), MISSING_ID, "neither"),
        new Odd(
            "nested id", right().id(null).body("{'a':{'messageId':'x'}}"), MISSING_ID, "neither"),
        new Odd("blank id", right().id(" "), BAD_ID, "blank", "expected a UUID"),
        new Odd("long id", right().id("x".repeat(256)), BAD_ID, "256 characters", "at most 255"),
        new Odd("damaged id", right().id("a\uFFFD"), BAD_ID, "not valid"),
        new Odd("blank body id", right().id(null).body("{'messageId':''}"), BAD_ID, "blank"),
        new Odd(
            "half an id", right().id(null).body("{'messageId':'\\ud800'}"), BAD_ID, "not valid"),
        new Odd(
            "id number",
            right().body("{'messageId':7}"),
            BAD_ID,
            "JSON number",
            "expected a string"),
        new Odd(
            "id object",
            right().body("{'messageId':{}}"),
            BAD_ID,
            "JSON object",
            "expected a string"),
        new Odd("id list", right().body("{'messageId':['x']}"), BAD_ID, "JSON array", "expected"),
        new Odd(
            "two ids",
            right().body("{'messageId':'%1$s','messageId':'%1$s'}".formatted(ID)),
            BAD_ID,
            "twice"),
        new Odd(
            "two escaped",
            right().body("{'messageId':'a','message\\u0049d':'b'}"),
            BAD_ID,
            "twice"),
        new Odd(
            "ids differ",
            right().body("{'messageId':'other'}"),
            ID_MISMATCH,
            ID,
            "'other'",
            "the same"),
        new Odd(
            "JDK type",
            right().type("java.lang.ProcessBuilder"),
            UNKNOWN_TYPE,
            "ProcessBuilder",
            both),
        new Odd("class name", right().type(Created.class.getName()), UNKNOWN_TYPE, "knows", both),
        new Odd("other case", right().type("Created"), UNKNOWN_TYPE, "'Created'", both),
        new Odd("type with NUL", right().type("created\0"), UNKNOWN_TYPE, both),
        new Odd("no type", right().type(null), MISSING_TYPE, "not set", both),
        new Odd("blank type name", right().type(" "), MISSING_TYPE, "not set", both),
        new Odd(
            "large",
            right().body("{'a':'" + "x".repeat(993) + "'}"),
            BODY_TOO_LARGE,
            "1,001 bytes",
            "accepts 1,000"),
        new Odd(
            "large headers",
            right().headers(Map.of("h", "x".repeat(193))),
            HEADERS_TOO_LARGE,
            "201 bytes",
            "accepts 200"));
  }

  @ParameterizedTest
  @MethodSource("odd")
  void whatIsOddIsPutAsideWithAReasonThatNamesTheValueAndWhatIsRight(Odd odd) {
    DeliveryValidator check = check(BOTH, MessageIdSource.ANY);
    ValidatedDelivery arrival = check.check(odd.delivery.delivery());
    assertThat(arrival).isInstanceOf(ValidatedDelivery.Rejected.class);
    ValidatedDelivery.Rejected rejected = (ValidatedDelivery.Rejected) arrival;
    assertThat(rejected.reason()).isEqualTo(odd.reason);
    assertThat(rejected.detail()).contains(odd.parts);
    assertThat(rejected.delivery().body()).isSameAs(odd.delivery.body());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "APPLICATION/JSON",
        "text/json",
        "application/json;charset=utf-8",
        "application/json; charset=\"UTF-8\"; version=2",
        "application/json; charset=us-ascii"
      })
  void jsonInUtf8ByAnyNameIsAnEvent(String contentType) {
    assertEvent(right().contentType(contentType));
    assertEvent(right().contentType(null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "identity", "UTF-8", "utf8"})
  void anEncodingThatEncodesNothingIsAccepted(String encoding) {
    assertEvent(right().encoding(encoding));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        " {'a':1} \n",
        "{'a':'\\u0000'}",
        "{'a':'\\ud800'}",
        "{'a':1,'a':2}",
        "{'a':'ü€😀'}",
        "{'a':1e400,'b':-0.0}"
      })
  void whatJsonAllowsIsAnEvent(String body) {
    assertEvent(right().body(body));
  }

  @Test
  void whatIsExactlyAtTheLimitIsAnEvent() {
    assertEvent(right().body("{'a':'" + "x".repeat(992) + "'}"));
    assertEvent(right().body(nested(100)));
    assertEvent(right().body(number(100)));
    assertEvent(right().headers(Map.of("h", "x".repeat(192))));
  }

  @Test
  void withOneTypeAMessageNeedNotNameIt() {
    DeliveryValidator check = check(EventTypes.of(List.of(Created.class)), MessageIdSource.ANY);
    assertThat(check.check(right().type(null).delivery()))
        .isInstanceOfSatisfying(
            ValidatedDelivery.Event.class, event -> assertThat(event.type()).isEqualTo("created"));
    assertThat(check.check(right().type("other").delivery()))
        .isInstanceOf(ValidatedDelivery.Rejected.class);
  }

  @Test
  void anIdThatIsNoUuidBecomesANameBasedOne() {
    assertThat(id(MessageIdSource.ANY, right().id("order-7")))
        .isEqualTo(MessageIds.parse("order-7"));
  }

  @Test
  void theSameIdInAnotherNotationAgrees() {
    Deliveries delivery =
        right().id(ID.toUpperCase(java.util.Locale.ROOT)).body("{'messageId':'" + ID + "'}");
    assertThat(id(MessageIdSource.ANY, delivery)).isEqualTo(UUID.fromString(ID));
  }

  @Test
  void anEndpointCanTakeTheIdFromOnePlaceOnly() {
    Deliveries both = right().id("property").body("{'messageId':'body'}");
    assertThat(id(MessageIdSource.PROPERTY, both)).isEqualTo(MessageIds.parse("property"));
    assertThat(id(MessageIdSource.BODY, both)).isEqualTo(MessageIds.parse("body"));
    assertThat(id(MessageIdSource.CONTENT, both)).isEqualTo(MessageIds.ofContent(both.body()));
  }

  @Test
  void theOnePlaceMustHaveIt() {
    assertThat(reason(MessageIdSource.PROPERTY, right().id(null).body("{'messageId':'x'}")))
        .isEqualTo(MISSING_ID);
    assertThat(reason(MessageIdSource.BODY, right())).isEqualTo(MISSING_ID);
  }

  @ParameterizedTest
  @EnumSource(QuarantineReason.class)
  void aReasonIsFoundByItsCode(QuarantineReason reason) {
    assertThat(reason.code()).matches("[a-z0-9-]+");
    assertThat(QuarantineReason.ofCode(reason.code())).isEqualTo(reason);
  }

  private static DeliveryValidator check(EventTypes<?> types, MessageIdSource source) {
    return new DeliveryValidator(
        types,
        source,
        new ReceiveLimits(1_000, 200),
        new OrderingKeySource.None(),
        new EventReader(new JsonFormat(JsonFormat.defaultMapper()), List.of()));
  }

  private static void assertEvent(Deliveries delivery) {
    assertThat(check(BOTH, MessageIdSource.ANY).check(delivery.delivery()))
        .isInstanceOf(ValidatedDelivery.Event.class);
  }

  private static UUID id(MessageIdSource source, Deliveries delivery) {
    return ((ValidatedDelivery.Event) check(BOTH, source).check(delivery.delivery())).messageId();
  }

  private static QuarantineReason reason(MessageIdSource source, Deliveries delivery) {
    return ((ValidatedDelivery.Rejected) check(BOTH, source).check(delivery.delivery())).reason();
  }

  private static Deliveries encoded(Charset charset) {
    return right().body("{\"a\":\"ü\"}".getBytes(charset));
  }

  private static Deliveries bytes(int... bytes) {
    byte[] body = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      body[i] = (byte) bytes[i];
    }
    return right().body(body);
  }

  private static String nested(int depth) {
    return "{'a':" + "[".repeat(depth - 1) + "]".repeat(depth - 1) + "}";
  }

  private static String number(int digits) {
    return "{'a':" + "1".repeat(digits) + "}";
  }
}
