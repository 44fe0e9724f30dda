package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.Inbox;
import io.inbox4j.transport.Topology;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A message that kills every connection that it is delivered to, before any code of ours. */
class UnreadableMessageTest {

  private static final int INNOCENT = 600;
  private static final int TOO_DEEP = 40;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("unreadable");

  @Test
  void endsInTheDeadLetterQueueAloneAndTheQueueGoesOn() throws Exception {
    Inboxes.declare(database, Inboxes.amqp(), queue, this::quickToGiveUp);
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("before", INNOCENT);
      publisher.send(unreadable(), new byte[] {'{', '}'});
      publisher.orders("behind", INNOCENT);
    }
    try (Inbox inbox =
        Inboxes.on(database)
            .subscribe(
                queue,
                subscription -> {
                  subscription.on(OrderPlaced.class, Effects::placed);
                  quickToGiveUp(subscription);
                })
            .build()) {
      inbox.start();
      eventually(() -> assertThat(database.effects()).isEqualTo(2 * INNOCENT));
      try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
        publisher.order("later");
        eventually(() -> assertThat(database.effectsOf("later")).isOne());
      }
    }
    assertThat(database.orders())
        .containsAll(IntStream.range(0, INNOCENT).mapToObj(i -> "before" + i).toList())
        .containsAll(IntStream.range(0, INNOCENT).mapToObj(i -> "behind" + i).toList())
        .doesNotHaveDuplicates();
    assertOnlyTheUnreadableOneIsADeadLetter();
  }

  private void quickToGiveUp(io.inbox4j.SubscriptionBuilder subscription) {
    subscription.topology(Topology.quorum().deliveryLimit(6));
  }

  private void assertOnlyTheUnreadableOneIsADeadLetter() throws Exception {
    try (Publisher deadLetters = new Publisher(Inboxes.amqp(), queue + ".dead-letter")) {
      eventually(() -> assertThat(deadLetters.ready()).isOne());
    }
  }

  private static BasicProperties unreadable() {
    Object header = "bottom";
    for (int i = 0; i < TOO_DEEP; i++) {
      header = Map.of("level", header);
    }
    return Publisher.order(UUID.randomUUID()).builder().headers(Map.of("deep", header)).build();
  }
}
