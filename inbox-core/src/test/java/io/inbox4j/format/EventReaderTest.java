package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventReaderTest {

  private static final UUID ID = UUID.fromString("11111111-1111-5111-8111-111111111111");

  record Note(UUID messageId, String text) implements IntegrationEvent {}

  /** What a format does with a body. */
  private interface Reading {
    IntegrationEvent of(String body) throws Exception;
  }

  /** A format that is made of a function. */
  private record Plain(Set<String> contentTypes, Reading reading) implements EventFormat {
    @Override
    public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId)
        throws Exception {
      return type.event().cast(reading.of(new String(body, StandardCharsets.UTF_8)));
    }
  }

  private static EventFormat plain(Reading reading) {
    return new Plain(Set.of("text/plain"), reading);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {"application/json", "text/json", "Application/JSON ; charset=utf-8", "text/json;"})
  void jsonIsReadUnlessTheContentTypeSaysOtherwise(String contentType) {
    EventReader reader = reader(plain(body -> new Note(ID, "plain " + body)));
    assertThat(read(reader, contentType, "{\"text\":\"hello\"}")).isEqualTo("hello");
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "TEXT/Plain", "text/plain; charset=latin1"})
  void theContentTypeChoosesTheFormat(String contentType) {
    EventReader reader = reader(plain(body -> new Note(ID, "plain " + body)));
    assertThat(read(reader, contentType, "{}")).isEqualTo("plain {}");
  }

  @Test
  void aContentTypeThatNobodyReadsIsUnreadableAndTheOthersAreNamed() {
    EventReader reader = reader(plain(body -> new Note(ID, body)));
    assertThatThrownBy(() -> read(reader, "text/xml", "<a/>"))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessage(
            "the content type is 'text/xml'; this inbox reads: application/json, text/json,"
                + " text/plain");
    assertThat(reader.formatOf("text/xml")).isNull();
  }

  @Test
  void whatAFormatThrowsIsUnreadableAndShowsNothingOfThePayload() {
    EventReader reader =
        reader(
            plain(
                body -> {
                  throw new IOException("cannot read " + body);
                }));
    assertThatThrownBy(() -> read(reader, "text/plain", "SECRET"))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessageContaining(Note.class.getName())
        .hasMessageContaining(Plain.class.getName())
        .hasMessageContaining("java.io.IOException")
        .hasMessageNotContaining("SECRET")
        .hasRootCauseMessage("cannot read SECRET");
  }

  @Test
  void aFormatCanSayItselfWhyABodyIsUnreadable() {
    EventReader reader =
        reader(
            plain(
                body -> {
                  throw new UnreadableEventException("the third line is missing");
                }));
    assertThatThrownBy(() -> read(reader, "text/plain", "x"))
        .isInstanceOf(UnreadableEventException.class)
        .hasMessage("the third line is missing");
  }

  @Test
  void aFormatThatReturnsNothingIsUnreadable() {
    EventReader reader = reader(new Plain(Set.of("text/plain"), body -> null));
    assertThatThrownBy(() -> read(reader, "text/plain", "x"))
        .isInstanceOf(UnreadableEventException.class)
        .hasRootCauseMessage("the format returned null");
  }

  @Test
  void twoFormatsForOneContentTypeAreRefused() {
    EventFormat plain = plain(body -> new Note(ID, body));
    assertThatThrownBy(() -> reader(plain, plain))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'text/plain'")
        .hasMessageContaining(Plain.class.getName());
    EventFormat another = new Plain(Set.of("application/json"), body -> new Note(ID, body));
    assertThatThrownBy(() -> reader(another))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'application/json'")
        .hasMessageContaining(JsonFormat.class.getName());
  }

  @Test
  void aFormatWithoutAContentTypeIsRefused() {
    assertThatThrownBy(() -> reader(new Plain(Set.of(), body -> new Note(ID, body))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Plain.class.getName() + " reads no content type");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "Text/Plain", "text/plain; charset=utf-8"})
  void aContentTypeThatCouldNeverMatchIsRefused(String contentType) {
    assertThatThrownBy(() -> reader(new Plain(Set.of(contentType), body -> new Note(ID, body))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + contentType + "'")
        .hasMessageContaining("lower case without parameters");
  }

  private static EventReader reader(EventFormat... others) {
    return new EventReader(new JsonFormat(JsonFormat.defaultMapper()), List.of(others));
  }

  private static String read(EventReader reader, String contentType, String body) {
    return reader
        .read(
            contentType,
            body.getBytes(StandardCharsets.UTF_8),
            new KnownType<>(Note.class, null),
            ID)
        .text();
  }
}
