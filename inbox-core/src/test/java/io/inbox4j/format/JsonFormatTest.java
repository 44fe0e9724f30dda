package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFormatTest {

  private static final UUID STORED = UUID.fromString("11111111-1111-5111-8111-111111111111");
  private static final UUID IN_BODY = UUID.fromString("22222222-2222-4222-8222-222222222222");

  record Order(UUID messageId, int amount, @Nullable String note, @Nullable BigDecimal total)
      implements IntegrationEvent {}

  record Appointment(
      UUID messageId, Instant at, LocalDate day, Duration length, @Nullable UUID patient)
      implements IntegrationEvent {}

  record Picky(UUID messageId, int amount) implements IntegrationEvent {
    Picky {
      if (amount < 0) {
        throw new IllegalArgumentException("amount is " + amount);
      }
    }
  }

  private final JsonFormat reader = new JsonFormat(JsonFormat.defaultMapper());

  @Test
  void fieldsAreRead() {
    Order order = read("{'messageId':'%s','amount':7,'total':12.30}".formatted(IN_BODY));
    assertThat(order).isEqualTo(new Order(IN_BODY, 7, null, new BigDecimal("12.30")));
  }

  @Test
  void fieldsThatAProducerAddedLaterAreIgnored() {
    assertThat(read("{'amount':7,'colour':'red','more':{'messageId':1}}").amount()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'amount':null}",
        "{'amount':1.9}",
        "{'amount':'7'}",
        "{'amount':true}",
        "{'amount':99999999999}",
        "{'amount':{}}",
        "{'amount':7,'note':{}}",
        "{'amount':7} {}",
        "{'amount':7}]",
        "{'amount':7",
        "[]",
        "7",
        "null",
        ""
      })
  void aBodyThatDoesNotFitIsUnreadableRatherThanGuessed(String body) {
    assertThatThrownBy(() -> read(body))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining(Order.class.getName());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'amount':7}",
        "{'amount':7,'messageId':null}",
        "{'messageId':'','amount':7}",
        "{'messageId':'order-7','amount':7}",
        "{'messageId':'507f1f77bcf86cd799439011','amount':7}",
        "{'messageId':'2222222222224222822222222222222g22222','amount':7}"
      })
  void aBodyWithoutAUuidGetsTheIdThatItIsStoredUnder(String body) {
    assertThat(read(body)).isEqualTo(new Order(STORED, 7, null, null));
  }

  @Test
  void aBodyWithoutAUuidIsStillChecked() {
    assertThatThrownBy(() -> read("{'messageId':'order-7','amount':'many'}"))
        .isInstanceOf(UnreadableEventException.class);
  }

  @Test
  void anotherFieldThatIsNoUuidIsAnError() {
    assertThatThrownBy(
            () ->
                reader.read(
                    json(
                        "{'at':'2026-01-02T03:04:05Z','day':'2026-01-02','length':'PT5M','patient':'x'}"),
                    new KnownType<>(Appointment.class, null),
                    STORED))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining("patient");
  }

  @Test
  void datesAndTimesAreIsoTexts() {
    Appointment appointment =
        reader.read(
            json("{'at':'2026-01-02T03:04:05.678Z','day':'2026-01-02','length':'PT5M'}"),
            new KnownType<>(Appointment.class, null),
            STORED);
    assertThat(appointment)
        .isEqualTo(
            new Appointment(
                STORED,
                Instant.parse("2026-01-02T03:04:05.678Z"),
                LocalDate.of(2026, 1, 2),
                Duration.ofMinutes(5),
                null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'amount':'SECRET-4711'}",
        "{'amount':7,'note':['SECRET-4711']}",
        "{'messageId':'SECRET-4711','amount':'SECRET-4711'}",
        "{'amount':7,'total':'SECRET-4711'}",
        "{'amount':7} SECRET-4711",
        "{'amount':SECRET-4711}"
      })
  void theErrorShowsNothingOfThePayload(String body) {
    assertThatThrownBy(() -> read(body))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageNotContaining("SECRET")
        .hasMessageNotContaining("4711");
  }

  @Test
  void theErrorSaysWhichFieldIsWrongAndWhatItShouldBe() {
    assertThatThrownBy(() -> read("{'amount':'SECRET'}"))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining("amount")
        .hasMessageContaining("int");
  }

  @Test
  void whatARecordRefusesIsUnreadableAndItsReasonIsTheCause() {
    assertThatThrownBy(
            () -> reader.read(json("{'amount':-4711}"), new KnownType<>(Picky.class, null), STORED))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageNotContaining("4711")
        .hasRootCauseMessage("amount is -4711");
  }

  @Test
  void nestingAndNumbersHaveLimits() {
    String deep = "{'amount':7,'more':" + "[".repeat(200) + "]".repeat(200) + "}";
    assertThatThrownBy(() -> read(deep)).isInstanceOf(UnreadableEventException.class);
    assertThatThrownBy(() -> read("{'amount':7,'total':" + "1".repeat(101) + "}"))
        .isInstanceOf(UnreadableEventException.class);
  }

  @Test
  void theIdOfTheBodyIsFound() {
    assertThat(idIn("{'a':{'messageId':1},'messageId':'order-7','b':[1]}")).isEqualTo("order-7");
    assertThat(idIn("{'messageId':null}")).isNull();
    assertThat(idIn("{'a':{'messageId':'x'}}")).isNull();
    assertThat(idIn("{}")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "7",
        "{'a':",
        "{'a':7",
        "{} {}",
        "{'messageId':4711}",
        "{'messageId':['4711']}",
        "{'messageId':'4711','messageId':'4711'}"
      })
  void aBodyThatIsNotOneObjectWithOneIdIsUnreadable(String body) {
    assertThatThrownBy(() -> idIn(body))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageNotContaining("4711");
  }

  private @Nullable String idIn(String body) {
    return reader.messageIdIn(json(body));
  }

  private Order read(String body) {
    return reader.read(json(body), new KnownType<>(Order.class, null), STORED);
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
