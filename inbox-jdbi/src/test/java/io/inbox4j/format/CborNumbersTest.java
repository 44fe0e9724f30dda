package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Numbers of a binary format, which knows doubles and decimals. */
class CborNumbersTest {

  private static final UUID STORED = UUID.fromString("11111111-1111-5111-8111-111111111111");
  private static final List<ObjectMapper> MAPPERS =
      List.of(
          JacksonFormat.withDefaults(CBORMapper.builder()).build(), CBORMapper.builder().build());

  record Payment(
      UUID messageId,
      @Nullable BigDecimal amount,
      @Nullable Double rate,
      @Nullable Float share,
      @Nullable Map<String, Object> more)
      implements IntegrationEvent {}

  @ParameterizedTest
  @ValueSource(strings = {"12345678901234567890.123456789012345678", "100.10", "1e309"})
  void aDecimalIsExactWhereverTheIdIs(String number) {
    BigDecimal exact = new BigDecimal(number);
    for (ObjectMapper mapper : MAPPERS) {
      for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
        for (Map<String, Object> id :
            List.of(Map.<String, Object>of(), Map.<String, Object>of("messageId", STORED))) {
          Map<String, Object> body = new HashMap<>(id);
          body.put("amount", exact);
          body.put("rate", 0.1);
          body.put("share", 0.1f);
          body.put("more", Map.of("n", exact));
          assertThat(read(mapper, upcaster, body))
              .isEqualTo(new Payment(STORED, exact, 0.1, 0.1f, Map.of("n", exact)));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void whatIsNoFiniteNumberIsUnreadableAndTheErrorSaysWhere(double number) {
    for (ObjectMapper mapper : MAPPERS) {
      for (UnaryOperator<ObjectNode> upcaster : upcasters()) {
        for (Object value : List.of(number, (float) number)) {
          for (String field : List.of("amount", "rate", "share")) {
            assertUnreadable(mapper, upcaster, field, value);
          }
          assertUnreadable(mapper, upcaster, "more", Map.of("list", List.of(value)));
        }
      }
    }
  }

  private static void assertUnreadable(
      ObjectMapper mapper,
      @Nullable UnaryOperator<ObjectNode> upcaster,
      String field,
      Object value) {
    assertThatThrownBy(() -> read(mapper, upcaster, Map.of(field, value)))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining("at '" + field);
  }

  private static List<UnaryOperator<ObjectNode>> upcasters() {
    return Arrays.asList(null, UnaryOperator.identity());
  }

  private static Payment read(
      ObjectMapper mapper, @Nullable UnaryOperator<ObjectNode> upcaster, Map<String, Object> body) {
    return JacksonFormat.of(mapper, "application/cbor")
        .read(mapper.writeValueAsBytes(body), new KnownType<>(Payment.class, upcaster), STORED);
  }
}
