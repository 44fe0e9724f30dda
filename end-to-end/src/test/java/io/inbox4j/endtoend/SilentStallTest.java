package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.inbox4j.Inbox;
import io.inbox4j.testkit.RabbitServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults after which a connection looks well while nobody consumes any more. */
@Tag("slow")
class SilentStallTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("stall");
  private final Outcomes outcomes = new Outcomes();

  @Test
  void aQueueDeletedUnderTheConsumerIsDeclaredAgainAndConsumed() throws Exception {
    goesOnAfter(() -> RabbitServer.shared().deleteQueue(queue));
    assertThat(Queues.show(RabbitServer.shared(), queue, "arguments")).contains("x-delivery-limit");
  }

  @Test
  void connectionsClosedByTheBrokerAreMadeAgain() throws Exception {
    assumeThat(RabbitServer.shared().isOwn()).isTrue();
    goesOnAfter(RabbitServer.shared()::closeAllConnections);
  }

  private void goesOnAfter(Runnable fault) throws Exception {
    try (Inbox inbox =
        Inboxes.on(database)
            .listener(outcomes)
            .subscribe(queue, OrderPlaced.class, Effects::placed)
            .build()) {
      inbox.start();
      publish("before");
      eventually(() -> assertThat(database.orders()).containsExactly("before"));
      fault.run();
      eventually(() -> assertThat(outcomes.connected).hasValue(2));
      publish("later");
      eventually(() -> assertThat(database.orders()).containsExactly("before", "later"));
    }
    assertThat(outcomes.disconnected).hasValue(1);
  }

  private void publish(String order) throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.order(order);
    }
  }
}
