package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Numbers are what the producer wrote, or the message is unreadable. */
class ExactNumbersTest {

  private static final UUID STORED = UUID.fromString("11111111-1111-5111-8111-111111111111");
  private static final UUID IN_BODY = UUID.fromString("22222222-2222-4222-8222-222222222222");

  private static final JsonMapper DEFAULT = JsonFormat.defaultMapper();
  private static final JsonMapper OF_THE_USER = JsonMapper.builder().build();
  private static final JsonMapper STRIPPING =
      JsonMapper.builder().enable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES).build();

  record Payment(
      UUID messageId,
      BigDecimal amount,
      List<BigDecimal> parts,
      Map<String, BigDecimal> byName,
      Money money,
      @Nullable Object anything,
      @Nullable JsonNode tree)
      implements IntegrationEvent {}

  /** Read from a bare number, by its constructor. */
  static final class Money {
    final BigDecimal amount;

    public Money(BigDecimal amount) {
      this.amount = amount;
    }
  }

  /** Cannot be made without an id. */
  record Strict(UUID messageId, BigDecimal amount) implements IntegrationEvent {
    Strict {
      Objects.requireNonNull(messageId);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // arrays are what is read here
  record Measured(
      UUID messageId,
      @Nullable Double boxed,
      @Nullable Float boxedFloat,
      double @Nullable [] array,
      float @Nullable [] floats,
      @Nullable List<Double> list,
      @Nullable Map<String, Double> map,
      @Nullable Map<Double, String> keys,
      @Nullable Inner inner,
      @Nullable Number number,
      @Nullable OptionalDouble optional,
      @Nullable Weight weight,
      @Nullable Map<String, Object> untyped,
      @Nullable JsonNode tree)
      implements IntegrationEvent {}

  record Inner(double plain, float small) {}

  /** Read from a bare number, by its constructor. */
  static final class Weight {
    final double kilograms;

    public Weight(double kilograms) {
      this.kilograms = kilograms;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"12345678901234567890.123456789012345678", "100.10", "1e309", "0.1", "1E-400"})
  void aDecimalIsTheSameWhereverTheIdIs(String number) {
    BigDecimal exact = new BigDecimal(number);
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER)) {
      for (String id : List.of("", "'messageId':'%s',".formatted(IN_BODY), "'messageId':'x',")) {
        for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
          Payment payment = read(mapper, Payment.class, upcaster, payment(id, number));
          assertThat(payment.amount()).isEqualTo(exact);
          assertThat(payment.parts()).containsExactly(exact);
          assertThat(payment.byName()).containsExactly(Map.entry("a", exact));
          assertThat(payment.money().amount).isEqualTo(exact);
          assertThat(payment.anything()).isEqualTo(Map.of("n", exact));
          assertThat(Objects.requireNonNull(payment.tree()).get("n").decimalValue())
              .isEqualTo(exact);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"12345678901234567890.123456789012345678", "100.10", "1e309"})
  void anUpcasterSeesWhatWasWritten(String number) {
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER, STRIPPING)) {
      read(
          mapper,
          Payment.class,
          tree -> {
            assertThat(tree.get("amount").decimalValue()).isEqualTo(new BigDecimal(number));
            return tree;
          },
          payment("", number));
    }
  }

  @Test
  void anEventThatCannotBeMadeWithoutAnIdGetsTheStoredOne() {
    assertThat(read(DEFAULT, Strict.class, null, "{'amount':1.50}"))
        .isEqualTo(new Strict(STORED, new BigDecimal("1.50")));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "boxed, 1e400, double",
        "boxed, -1e309, double",
        "boxedFloat, 1e39, float",
        "array, `[1.5,1e400]`, double",
        "floats, `[1.5,1e39]`, float",
        "list, `[1.5,1e400]`, double",
        "map, {'a':1e400}, double",
        "inner, `{'plain':1e400,'small':1}`, double",
        "inner, `{'plain':1,'small':1e39}`, float",
        "optional, 1e400, double",
        "inner, `{'plain':-1e309,'small':1}`, double"
      })
  void aNumberThatIsTooLargeForItsFieldIsUnreadableAndTheErrorSaysWhere(
      String field, String value, String type) {
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER)) {
      for (String id : List.of("", "'messageId':'%s',".formatted(IN_BODY))) {
        for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
          assertThatThrownBy(() -> read(mapper, Measured.class, upcaster, body(id, field, value)))
              .isInstanceOf(UnreadableEventException.class)
              .hasMessageContaining("at '" + field)
              .hasMessageEndingWith("a number is out of the range of " + type);
        }
      }
    }
  }

  @Test
  void aNumberThatIsTooLargeForADoubleIsKeptWhereNoDoubleIsAskedFor() {
    BigDecimal exact = new BigDecimal("1e400");
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER)) {
      Measured measured =
          read(
              mapper,
              Measured.class,
              null,
              "{'untyped':{'a':[{'b':1e400}]},'number':1e400,'tree':[1e400]}");
      assertThat(measured.untyped()).isEqualTo(Map.of("a", List.of(Map.of("b", exact))));
      assertThat(measured.number()).isEqualTo(exact);
      assertThat(Objects.requireNonNull(measured.tree()).get(0).decimalValue()).isEqualTo(exact);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "INF", "-INF", " NaN "})
  void aWordForNoNumberIsUnreadable(String word) {
    String text = "'%s'".formatted(word);
    Map<String, String> values =
        Map.of(
            "boxed", text,
            "boxedFloat", text,
            "array", "[%s]".formatted(text),
            "floats", "[%s]".formatted(text),
            "list", "[%s]".formatted(text),
            "map", "{'a':%s}".formatted(text),
            "inner", "{'plain':%s,'small':1}".formatted(text),
            "number", text,
            "optional", text,
            "keys", "{%s:'a'}".formatted(text));
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER)) {
      for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
        values.forEach(
            (field, value) ->
                assertThatThrownBy(
                        () -> read(mapper, Measured.class, upcaster, body("", field, value)))
                    .as("%s: %s", field, value)
                    .isInstanceOf(UnreadableEventException.class)
                    .hasMessageContaining("at '" + field)
                    .hasMessageNotContaining(word.strip()));
      }
    }
  }

  @Test
  void aNumberThatIsTooLargeForAConstructorIsUnreadable() {
    assertThatThrownBy(() -> read(DEFAULT, Measured.class, null, body("", "weight", "1e400")))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining("at 'weight'");
  }

  @Test
  void numbersThatFitAreReadAsEver() {
    for (JsonMapper mapper : List.of(DEFAULT, OF_THE_USER)) {
      for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
        Measured all =
            read(
                mapper,
                Measured.class,
                upcaster,
                "{'boxed':1.5,'boxedFloat':2,'array':[1.7976931348623157E308],'floats':[3.5],"
                    + "'list':[4.5,null],'map':{'a':-5.5},'keys':{'6.5':'b'},"
                    + "'inner':{'plain':7.5,'small':8.5},'number':9,'optional':1e2,'weight':10.5}");
        assertThat(all.boxed()).isEqualTo(1.5);
        assertThat(all.boxedFloat()).isEqualTo(2f);
        assertThat(all.array()).containsExactly(Double.MAX_VALUE);
        assertThat(all.floats()).containsExactly(3.5f);
        assertThat(all.list()).containsExactly(4.5, null);
        assertThat(all.map()).containsExactly(Map.entry("a", -5.5));
        assertThat(all.keys()).containsExactly(Map.entry(6.5, "b"));
        assertThat(all.inner()).isEqualTo(new Inner(7.5, 8.5f));
        assertThat(all.number()).isEqualTo(9);
        assertThat(all.optional()).hasValue(100);
        assertThat(Objects.requireNonNull(all.weight()).kilograms).isEqualTo(10.5);
      }
    }
  }

  @Test
  void aPrimitiveThatIsMissingOrNullIsStillAnError() {
    for (String inner :
        List.of("{'small':1}", "{'plain':null,'small':1}", "{'plain':'1.5','small':1}")) {
      assertThatThrownBy(() -> read(DEFAULT, Measured.class, null, body("", "inner", inner)))
          .isInstanceOf(UnreadableEventException.class)
          .hasMessageContaining("at 'inner.plain'");
    }
  }

  /** None, which is the shortest way; and one that changes nothing. */
  private static List<UnaryOperator<ObjectNode>> upcasters() {
    return Arrays.asList(null, UnaryOperator.identity());
  }

  private static String payment(String id, String number) {
    return "{%2$s'amount':%1$s,'parts':[%1$s],'byName':{'a':%1$s},'money':%1$s,'anything':{'n':%1$s},'tree':{'n':%1$s}}"
        .formatted(number, id);
  }

  private static String body(String id, String field, String value) {
    return "{%s'%s':%s}".formatted(id, field, value);
  }

  private static <T extends IntegrationEvent> T read(
      JsonMapper mapper, Class<T> type, @Nullable UnaryOperator<ObjectNode> upcaster, String body) {
    byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return new JsonFormat(mapper).read(json, new KnownType<>(type, upcaster), STORED);
  }
}
