package io.inbox4j.internal.receive;

import static io.inbox4j.internal.receive.Deliveries.ID;
import static io.inbox4j.internal.receive.Deliveries.right;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.format.KnownType;
import io.inbox4j.listener.QuarantineReason;
import io.inbox4j.transport.MessageIdSource;
import io.inbox4j.transport.ValidatedDelivery;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Deliveries whose body is no JSON, but can be read. */
class OtherFormatTest {

  record Created(UUID messageId, String text) implements IntegrationEvent {}

  /** The body is the id, a space and a text; there is no id before a leading space. */
  private static final class Words implements EventFormat {

    @Override
    public Set<String> contentTypes() {
      return Set.of("text/words");
    }

    @Override
    public @Nullable String messageIdIn(byte[] body) throws IOException {
      String text = new String(body, UTF_8);
      if (!text.contains(" ")) {
        throw new IOException("no space in " + text);
      }
      return text.startsWith(" ") ? null : text.substring(0, text.indexOf(' '));
    }

    @Override
    public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
      String text = new String(body, UTF_8);
      if (text.endsWith("unfit")) {
        throw new UnreadableEventException("it does not fit");
      }
      return type.event().cast(new Created(messageId, text.substring(text.indexOf(' ') + 1)));
    }
  }

  @Test
  void theBodyIsNotLookedAtAsJson() {
    assertThat(event(MessageIdSource.ANY, words(" \u00fc {").contentType("text/words; charset=x")))
        .extracting(ValidatedDelivery.Event::messageId)
        .hasToString(ID);
  }

  @Test
  void theIdIsFoundWhereTheEndpointLooksForIt() {
    UUID seven = MessageIds.parse("order-7");
    Deliveries both = words("order-7 x").id("order-8");
    assertThat(event(MessageIdSource.ANY, words("order-7 x").id(null)).messageId())
        .isEqualTo(seven);
    assertThat(event(MessageIdSource.BODY, both).messageId()).isEqualTo(seven);
    assertThat(event(MessageIdSource.PROPERTY, both).messageId())
        .isEqualTo(MessageIds.parse("order-8"));
    assertThat(event(MessageIdSource.CONTENT, both).messageId())
        .isEqualTo(MessageIds.ofContent(both.body()));
    assertThat(rejected(both).reason()).isEqualTo(QuarantineReason.ID_MISMATCH);
    assertThat(rejected(words(" x").id(null)).reason()).isEqualTo(QuarantineReason.MISSING_ID);
  }

  @Test
  void aBodyWhoseIdCannotBeLookedForIsPutAsideWithoutShowingIt() {
    ValidatedDelivery.Rejected rejected = rejected(words("SECRET"));
    assertThat(rejected.reason()).isEqualTo(QuarantineReason.UNREADABLE);
    assertThat(rejected.detail())
        .contains(Words.class.getName(), "java.io.IOException")
        .doesNotContain("SECRET");
  }

  @Test
  void aContentTypeThatNobodyReadsIsPutAsideAndTheOthersAreNamed() {
    ValidatedDelivery.Rejected rejected = rejected(right().contentType("text/xml"));
    assertThat(rejected.reason()).isEqualTo(QuarantineReason.CONTENT_TYPE);
    assertThat(rejected.detail())
        .isEqualTo(
            "the content type is 'text/xml'; this inbox reads: application/json, text/json,"
                + " text/words");
  }

  @Test
  void sizeAndEncodingAreCheckedAsEver() {
    assertThat(rejected(words("")).reason()).isEqualTo(QuarantineReason.EMPTY_BODY);
    assertThat(rejected(words("x ".repeat(501))).reason())
        .isEqualTo(QuarantineReason.BODY_TOO_LARGE);
    assertThat(rejected(words("x y").encoding("gzip")).reason())
        .isEqualTo(QuarantineReason.CONTENT_ENCODING);
  }

  @Test
  void theOrderingKeyIsReadFromTheEvent() {
    assertThat(event(MessageIdSource.ANY, words(" alice")).orderingKey()).isEqualTo("alice");
    ValidatedDelivery.Rejected unfit = rejected(words(" unfit"));
    assertThat(unfit.reason()).isEqualTo(QuarantineReason.UNREADABLE);
    assertThat(unfit.detail()).isEqualTo("it does not fit");
  }

  private static Deliveries words(String body) {
    return right().contentType("text/words").body(body.getBytes(UTF_8));
  }

  private static ValidatedDelivery.Event event(MessageIdSource source, Deliveries delivery) {
    return (ValidatedDelivery.Event) check(source).check(delivery.delivery());
  }

  private static ValidatedDelivery.Rejected rejected(Deliveries delivery) {
    return (ValidatedDelivery.Rejected) check(MessageIdSource.ANY).check(delivery.delivery());
  }

  private static DeliveryValidator check(MessageIdSource source) {
    return new DeliveryValidator(
        EventTypes.of(List.<Class<? extends IntegrationEvent>>of(Created.class)),
        source,
        new ReceiveLimits(1_000, 200),
        new OrderingKeySource.InEvent(
            List.of(new OrderingKeySource.KeyOf<>(Created.class, Created::text))),
        new EventReader(new JsonFormat(JsonFormat.defaultMapper()), List.of(new Words())));
  }
}
