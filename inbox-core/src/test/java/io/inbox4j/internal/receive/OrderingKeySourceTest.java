package io.inbox4j.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.receive.OrderingKeySource.InEvent;
import io.inbox4j.internal.receive.OrderingKeySource.KeyOf;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OrderingKeySourceTest {

  interface OfACustomer extends IntegrationEvent {
    UUID customer();
  }

  record Created(UUID messageId, UUID customer) implements OfACustomer {}

  record Paid(UUID messageId, UUID customer) implements OfACustomer {}

  record Counted(UUID messageId, @Nullable String shelf) implements IntegrationEvent {}

  record Closed(UUID messageId) implements IntegrationEvent {}

  private static final UUID ID = new UUID(1, 1);
  private static final UUID CUSTOMER = new UUID(2, 2);

  private final InEvent keys =
      new InEvent(
          List.of(
              new KeyOf<>(Paid.class, paid -> "paid"),
              new KeyOf<>(OfACustomer.class, OfACustomer::customer),
              new KeyOf<>(Counted.class, Counted::shelf)));

  @Test
  void theTextOfWhatIsTakenFromAnEventIsItsKey() {
    assertThat(keys.of(new Created(ID, CUSTOMER))).isEqualTo(CUSTOMER.toString());
    assertThat(keys.of(new Counted(ID, "a7"))).isEqualTo("a7");
  }

  @Test
  void theFirstThatFitsAnEventCounts() {
    assertThat(keys.of(new Paid(ID, CUSTOMER))).isEqualTo("paid");
  }

  @Test
  void eventsOfOtherClassesAndWithoutAKeyHaveNoOrder() {
    assertThat(keys.of(new Closed(ID))).isNull();
    assertThat(keys.of(new Counted(ID, null))).isNull();
  }
}
