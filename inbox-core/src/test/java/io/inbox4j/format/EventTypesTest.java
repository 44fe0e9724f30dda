package io.inbox4j.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.event.EventType;
import io.inbox4j.event.IntegrationEvent;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EventTypesTest {

  record Created(UUID messageId) implements IntegrationEvent {}

  @EventType("orders.cancelled")
  record Cancelled(UUID messageId) implements IntegrationEvent {}

  @EventType("created")
  record OtherCreated(UUID messageId) implements IntegrationEvent {}

  abstract static class AbstractEvent implements IntegrationEvent {}

  interface EventInterface extends IntegrationEvent {}

  @Test
  void aTypeIsFoundByItsNameOnly() {
    EventTypes<IntegrationEvent> types = EventTypes.of(List.of(Created.class, Cancelled.class));
    assertThat(types.find("created")).isEqualTo(new KnownType<>(Created.class, null));
    assertThat(types.find("orders.cancelled")).isEqualTo(new KnownType<>(Cancelled.class, null));
    assertThat(types.names()).containsExactlyInAnyOrder("created", "orders.cancelled");
  }

  @Test
  void noClassIsFoundByAJavaName() {
    EventTypes<IntegrationEvent> types = EventTypes.of(List.of(Created.class));
    assertThat(types.find(Created.class.getName())).isNull();
    assertThat(types.find("java.lang.Runtime")).isNull();
  }

  @Test
  void onlyASingleTypeIsTheOnlyOne() {
    assertThat(EventTypes.of(List.of(Created.class)).onlyName()).isEqualTo("created");
    assertThat(EventTypes.of(List.of(Created.class, Cancelled.class)).onlyName()).isNull();
  }

  @Test
  void anAbstractTypeIsRefused() {
    assertThatThrownBy(() -> EventTypes.of(List.of(AbstractEvent.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AbstractEvent is abstract")
        .hasMessageContaining("expected a record or class");
    assertThatThrownBy(() -> EventTypes.of(List.of(EventInterface.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("EventInterface is abstract");
  }

  @Test
  void twoClassesOfTheSameNameAreRefusedByBothTheirNames() {
    assertThatThrownBy(() -> EventTypes.of(List.of(Created.class, OtherCreated.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Created.class.getName())
        .hasMessageContaining(OtherCreated.class.getName())
        .hasMessageContaining("'created'")
        .hasMessageContaining("@EventType");
  }

  @Test
  void theSameClassTwiceIsOneType() {
    assertThat(EventTypes.of(List.of(Created.class, Created.class)).names())
        .containsExactly("created");
  }

  @Test
  void itIsShownByNamesWithTheirClassesInOrder() {
    assertThat(EventTypes.of(List.of(Cancelled.class, Created.class)))
        .hasToString("created (Created), orders.cancelled (Cancelled)");
  }
}
