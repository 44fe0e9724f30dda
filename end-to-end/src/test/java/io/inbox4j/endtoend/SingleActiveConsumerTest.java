package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SingleActiveConsumerTest {

  private static final int ORDERS = 3_000;
  private static final int MANY_ORDERS = 15_000;

  /** Half as many deliveries as the limit of 20 allows would make a message suspicious. */
  private static final int FEWER_THAN_SUSPICIOUS = 8;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("single-active");

  @Test
  void whenAReceiverEndsUnderLoadTheNextOneDoesNotOvertakeIt() throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue);
        Inbox second = inbox(20)) {
      try (Inbox first = inbox(20);
          Handle lock = Jdbi.open(database.url())) {
        first.startReceiving();
        second.startReceiving();
        lock.begin();
        lock.execute("LOCK TABLE inbox_messages IN SHARE MODE");
        publisher.orders("o", MANY_ORDERS);
        publisher.confirm();
        lock.commit();
        eventually(() -> assertThat(database.stored()).isPositive());
        assertThat(database.stored()).as("the end comes under load").isLessThan(MANY_ORDERS);
      }
      eventually(() -> assertThat(database.stored()).isEqualTo(MANY_ORDERS));
    }
    assertThat(database.texts("SELECT content ->> 'order' FROM inbox ORDER BY seq"))
        .isEqualTo(orders(MANY_ORDERS));
  }

  @Test
  void aBrokerThatClosesConnectionsAgainAndAgainDoesNotChangeTheOrder() throws Exception {
    Inboxes.declare(database, Inboxes.amqp(), queue, subscription -> singleActive(subscription, 1));
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("o", ORDERS);
      publisher.confirm();
    }
    try (Inbox inbox = inbox(1)) {
      inbox.startReceiving();
      RabbitServer.shared()
          .ctl(
              "eval",
              "[begin catch rabbit_networking:close_connections(rabbit_networking:local_connections(),"
                  + " \"closed by a test\"), timer:sleep(150) end || _ <- lists:seq(1, "
                  + FEWER_THAN_SUSPICIOUS
                  + ")].");
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS));
    }
    assertThat(database.texts("SELECT content ->> 'order' FROM inbox ORDER BY seq"))
        .isEqualTo(orders(ORDERS));
  }

  @Test
  void aQueueThatIsDeletedIsConsumedAgainOnlyWhenWhatCameOfItIsStored() throws Exception {
    try (Inbox inbox = inbox(20);
        Publisher publisher = new Publisher(Inboxes.amqp(), queue);
        Handle lock = Jdbi.open(database.url())) {
      inbox.startReceiving();
      lock.begin();
      lock.execute("LOCK TABLE inbox_messages IN SHARE MODE");
      publisher.orders("before ", 10);
      publisher.confirm();
      eventually(() -> assertThat(waiting()).as("the receiver waits for the table").isPositive());

      RabbitServer.shared().deleteQueue(queue);
      await()
          .during(Duration.ofSeconds(2))
          .atMost(Patience.LIMIT)
          .until(() -> !queues().contains(queue));

      lock.commit();
      eventually(() -> assertThat(queues()).contains(queue));
      publisher.orders("after ", 10);
      eventually(() -> assertThat(database.stored()).isGreaterThan(10));
    }
  }

  private static List<String> queues() {
    return RabbitServer.shared().ctl("list_queues", "name").lines().map(String::strip).toList();
  }

  private long waiting() {
    return database.count("SELECT count(*) FROM pg_locks WHERE NOT granted");
  }

  private Inbox inbox(int batchSize) {
    return Inboxes.on(database)
        .subscribe(
            queue,
            subscription ->
                singleActive(subscription.on(OrderPlaced.class, Effects::placed), batchSize))
        .build();
  }

  private static void singleActive(SubscriptionBuilder subscription, int batchSize) {
    subscription.batchSize(batchSize).topology(Topology.quorum().withSingleActiveConsumer());
  }

  private static List<String> orders(int count) {
    return IntStream.range(0, count).mapToObj(i -> "o" + i).toList();
  }
}
