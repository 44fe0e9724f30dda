package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.transport.Topology;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SingleActiveConsumerTest {

  private static final int ORDERS = 3_000;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("single-active");

  @Test
  void whenAReceiverEndsUnderLoadTheNextOneDoesNotOvertakeIt() throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue);
        Inbox second = inbox()) {
      try (Inbox first = inbox()) {
        first.startReceiving();
        second.startReceiving();
        publisher.orders("o", ORDERS);
        eventually(() -> assertThat(database.stored()).isPositive());
        assertThat(database.stored()).as("the end comes under load").isLessThan(ORDERS);
      }
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS));
    }
    assertThat(database.texts("SELECT content ->> 'order' FROM inbox ORDER BY seq"))
        .isEqualTo(orders());
  }

  private Inbox inbox() {
    return Inboxes.on(database)
        .subscribe(
            queue,
            subscription ->
                subscription
                    .on(OrderPlaced.class, Effects::placed)
                    .batchSize(20)
                    .topology(Topology.quorum().withSingleActiveConsumer()))
        .build();
  }

  private static List<String> orders() {
    return IntStream.range(0, ORDERS).mapToObj(i -> "o" + i).toList();
  }
}
