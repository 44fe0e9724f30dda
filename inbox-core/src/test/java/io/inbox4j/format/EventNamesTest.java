package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventNamesTest {

  record OrderCreated(UUID messageId) implements IntegrationEvent {}

  record HTTPServerStarted(UUID messageId) implements IntegrationEvent {}

  record UserSSOEnabled(UUID messageId) implements IntegrationEvent {}

  record Order2Shipped(UUID messageId) implements IntegrationEvent {}

  record OrderPlacedV2(UUID messageId) implements IntegrationEvent {}

  record Ping(UUID messageId) implements IntegrationEvent {}

  record URL(UUID messageId) implements IntegrationEvent {}

  @EventType("orders.order-created")
  record Named(UUID messageId) implements IntegrationEvent {}

  @EventType(" ")
  record Blank(UUID messageId) implements IntegrationEvent {}

  @EventType("a\0b")
  record WithNul(UUID messageId) implements IntegrationEvent {}

  @EventType(
      "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
          + "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
          + "01234567890123456789012345678901234567890123456789012345")
  record TooLong(UUID messageId) implements IntegrationEvent {}

  @ParameterizedTest
  @CsvSource({
    "OrderCreated, order-created",
    "HTTPServerStarted, http-server-started",
    "UserSSOEnabled, user-sso-enabled",
    "Order2Shipped, order2-shipped",
    "OrderPlacedV2, order-placed-v2",
    "Ping, ping",
    "URL, url",
  })
  void theNameIsTheSimpleClassNameInKebabCase(String className, String name) throws Exception {
    assertThat(EventNames.of(nested(className))).isEqualTo(name);
  }

  @Test
  void theAnnotationGivesTheNameOnTheWire() {
    assertThat(EventNames.of(Named.class)).isEqualTo("orders.order-created");
  }

  @ParameterizedTest
  @CsvSource({"Blank, ' '", "WithNul, a", "TooLong, 0123456789"})
  void aNameThatIsBlankTooLongOrCannotBeStoredIsRefused(String className, String part)
      throws Exception {
    Class<? extends IntegrationEvent> event = nested(className);
    assertThatThrownBy(() -> EventNames.of(event))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(part)
        .hasMessageContaining(event.getName())
        .hasMessageContaining("1 to 255");
  }

  @Test
  void aClassWithoutANameNeedsAnAnnotation() {
    IntegrationEvent anonymous =
        new IntegrationEvent() {
          @Override
          public UUID messageId() {
            return new UUID(0, 0);
          }
        };
    assertThatThrownBy(() -> EventNames.of(anonymous.getClass()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no name");
  }

  private static Class<? extends IntegrationEvent> nested(String name) throws Exception {
    return Class.forName(EventNamesTest.class.getName() + "$" + name)
        .asSubclass(IntegrationEvent.class);
  }
}
