package io.inbox4j.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageIdsTest {

  @Test
  void theSamePartsGiveTheSameIdInEveryRelease() {
    assertThat(MessageIds.of("order", 42, "created"))
        .isEqualTo(MessageIds.of("order", "42", "created"))
        .isEqualTo(UUID.fromString("d5aef58c-9c99-5037-9ab2-2114aaadfd7c"));
  }

  @Test
  void theOrderOfThePartsCounts() {
    assertThat(MessageIds.of("a", "b")).isNotEqualTo(MessageIds.of("b", "a"));
  }

  @Test
  void whereOnePartEndsAndTheNextBeginsCounts() {
    assertThat(MessageIds.of("ab", "c")).isNotEqualTo(MessageIds.of("a", "bc"));
    assertThat(MessageIds.of("abc")).isNotEqualTo(MessageIds.of("ab", "c"));
    assertThat(MessageIds.of("a", "")).isNotEqualTo(MessageIds.of("a"));
  }

  @Test
  void partsThatNeedMoreThanOneByteACharacterDiffer() {
    assertThat(MessageIds.of("ä")).isNotEqualTo(MessageIds.of("ö"));
    assertThat(MessageIds.of("😀")).isNotEqualTo(MessageIds.of("😁"));
  }

  @Test
  void anIdOfPartsIsANameBasedUuid() {
    UUID id = MessageIds.of("order", 1);
    assertThat(id.version()).isEqualTo(5);
    assertThat(id.variant()).isEqualTo(2);
  }

  @Test
  void anIdOfContentIsACustomUuidThatOnlyTheSameBytesGive() {
    UUID id = MessageIds.ofContent(bytes("{\"a\":1}"));
    assertThat(id.version()).isEqualTo(8);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id).isEqualTo(MessageIds.ofContent(bytes("{\"a\":1}")));
    assertThat(id).isNotEqualTo(MessageIds.ofContent(bytes("{\"a\": 1}")));
  }

  @Test
  void anIdNeedsAPart() {
    assertThatThrownBy(MessageIds::of)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no parts")
        .hasMessageContaining("at least one");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0190b3a6-7c1e-7d3a-9f00-0123456789ab",
        "0190B3A6-7C1E-7D3A-9F00-0123456789AB",
        "00000000-0000-0000-0000-000000000000"
      })
  void aUuidIsTakenAsItIs(String text) {
    assertThat(MessageIds.parse(text)).isEqualTo(UUID.fromString(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "order-42-created",
        "0190b3a6-7c1e-7d3a-9f00-0123456789a",
        "0190b3a6-7c1e-7d3a-9f00-0123456789ag",
        "0190b3a67c1e-7d3a-9f00-0123456789abc-",
        "{0190b3a6-7c1e-7d3a-9f00-0123456789ab}",
        "0190b3a6-7c1e-7d3a-9f00-01234567８9ab",
        "1-1-1-1-1",
        "42",
        "ü"
      })
  void anyOtherTextBecomesANameBasedUuidTheSameEachTime(String text) {
    assertThat(MessageIds.isUuid(text)).isFalse();
    assertThat(MessageIds.parse(text).version()).isEqualTo(5);
    assertThat(MessageIds.parse(text)).isEqualTo(MessageIds.parse(text));
    assertThat(MessageIds.parse(text)).isNotEqualTo(MessageIds.parse(text + "x"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n"})
  void aBlankIdIsRefused(String text) {
    assertThatThrownBy(() -> MessageIds.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blank")
        .hasMessageContaining("expected");
  }

  @Test
  void theLongestIdIsAcceptedAndOneCharacterMoreIsRefused() {
    assertThat(MessageIds.parse("x".repeat(255))).isNotNull();
    assertThatThrownBy(() -> MessageIds.parse("x".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("256")
        .hasMessageContaining("255");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uFFFD", "order-\uFFFD-7"})
  void anIdThatWasNotUtf8IsRefusedBecauseOthersWouldLookTheSame(String text) {
    assertThatThrownBy(() -> MessageIds.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not valid");
  }

  @Test
  void anIdWithHalfACharacterIsRefusedBecauseOthersWouldLookTheSame() {
    String high = "order-" + (char) 0xD800;
    String low = "order-" + (char) 0xDC00 + "-7";
    assertThatThrownBy(() -> MessageIds.parse(high))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not valid");
    assertThatThrownBy(() -> MessageIds.parse(low))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not valid");
    assertThat(MessageIds.parse("order-😀")).isNotEqualTo(MessageIds.parse("order-😁"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
