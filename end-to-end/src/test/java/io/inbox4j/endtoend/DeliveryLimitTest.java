package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.Health;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Neither an outage of the database nor a receiver that crashes uses up the deliveries that the
 * broker allows. Here these are few, and the broker waits a second for an acknowledgement.
 */
@Tag("slow")
class DeliveryLimitTest {

  private static final int ORDERS = 100;
  private static final int DELIVERY_LIMIT = 3;
  private static final Duration CONSUMER_TIMEOUT = Duration.ofSeconds(1);

  private static PostgresServer server;

  private final Database database = Database.at(server.newDatabase());
  private final String queue = Inboxes.newQueue("limited");
  private final Outcomes outcomes = new Outcomes();
  private Publisher publisher;
  private Publisher deadLetters;

  @BeforeAll
  static void start() {
    assumeThat(RabbitServer.shared().isOwn()).isTrue();
    server = PostgresServer.start();
    setConsumerTimeout(CONSUMER_TIMEOUT, Duration.ofMillis(250));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      setConsumerTimeout(Duration.ofMinutes(30), Duration.ofMinutes(1));
      server.close();
    }
  }

  /** As {@code consumer_timeout} in its configuration does; and how often the broker looks. */
  private static void setConsumerTimeout(Duration timeout, Duration look) {
    RabbitServer.shared()
        .ctl(
            "eval",
            "application:set_env(rabbit, consumer_timeout, %d), application:set_env(rabbit, channel_tick_interval, %d)."
                .formatted(timeout.toMillis(), look.toMillis()));
  }

  @BeforeEach
  void declare() throws Exception {
    Inboxes.declare(database, Inboxes.amqp(), queue, DeliveryLimitTest::limited);
    publisher = new Publisher(Inboxes.amqp(), queue);
    deadLetters = new Publisher(Inboxes.amqp(), queue + ".dead-letter");
  }

  @AfterEach
  void disconnect() throws Exception {
    publisher.close();
    deadLetters.close();
  }

  @Test
  void anOutageOfTheDatabaseThatOutlastsManyTimeoutsCostsOneDelivery() throws Exception {
    try (Inbox inbox = inbox(outcomes)) {
      inbox.start();
      publisher.order("before");
      eventually(() -> assertThat(database.stored()).isOne());
      eventually(
          () -> assertThat(RabbitServer.shared().messagesIn(List.of(queue))).as("left").isZero());
      server.kill9();
      try {
        publisher.orders("o", ORDERS);
        nothingIsDeadLettered();
        assertThat(publisher.ready()).as("the broker has them back").isEqualTo(ORDERS);
        assertThat(outcomes.disconnected).hasValue(1);
        assertThat(part(inbox, "broker").status()).isEqualTo(Health.Status.UP);
        assertThat(part(inbox, "consumers").status()).isEqualTo(Health.Status.DOWN);
      } finally {
        server.restart();
      }
      eventually(() -> assertThat(database.effects()).isEqualTo(ORDERS + 1));
      eventually(() -> assertThat(part(inbox, "consumers").status()).isEqualTo(Health.Status.UP));
    }
    assertThat(outcomes.connected).hasValue(2);
    assertThat(deadLetters.ready()).isZero();
    assertThat(database.orders()).doesNotHaveDuplicates();
  }

  /** For twice the time in which the deliveries would be used up. */
  private void nothingIsDeadLettered() {
    await()
        .during(CONSUMER_TIMEOUT.multipliedBy(2L * DELIVERY_LIMIT + 2))
        .atMost(LIMIT)
        .until(() -> deadLetters.ready() == 0);
  }

  private static Health.Part part(Inbox inbox, String name) {
    return inbox.health().parts().stream()
        .filter(part -> part.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aTableThatIsLockedForLongerThanTheTimeoutIsSaidToBeThat() throws Exception {
    List<String> causes = new CopyOnWriteArrayList<>();
    InboxListener listener =
        new InboxListener() {
          @Override
          public void disconnected(Disconnected event) {
            causes.add(event.cause().getMessage());
          }
        };
    try (Inbox inbox = inbox(listener);
        Handle lock = Jdbi.open(database.url())) {
      lock.begin();
      lock.execute("LOCK TABLE inbox_messages IN SHARE MODE");
      inbox.start();
      publisher.orders("o", ORDERS);
      nothingIsDeadLettered();
      lock.commit();
      eventually(() -> assertThat(database.effects()).isEqualTo(ORDERS));
    }
    assertThat(causes).hasSize(1);
    assertThat(causes.get(0))
        .containsPattern("acknowledgement on channel|not acknowledged for \\d.* consumer_timeout")
        .doesNotContain("gone");
    assertThat(deadLetters.ready()).isZero();
    assertThat(database.orders()).doesNotHaveDuplicates();
  }

  @Test
  void aReceiverThatIsKilledAgainAndAgainBeforeItStoresCostsOneMessageAtMost() throws Exception {
    publisher.orders("o", ORDERS);
    try (Handle lock = Jdbi.open(database.url())) {
      lock.begin();
      lock.execute("LOCK TABLE inbox_messages IN SHARE MODE");
      for (int i = 0; i < DELIVERY_LIMIT + 2; i++) {
        try (ChildProcess receiver =
            OrderService.receiver(database, queue, "deliveryLimit=" + DELIVERY_LIMIT)) {
          eventually(() -> assertThat(waitingForTheTable()).isOne());
          receiver.kill9();
        }
        endWhatItHasLeft();
      }
      lock.rollback();
    }
    try (Inbox inbox = inbox(outcomes)) {
      inbox.start();
      eventually(() -> assertThat(database.effects() + deadLetters.ready()).isEqualTo(ORDERS));
    }
    assertThat(deadLetters.ready()).isLessThanOrEqualTo(1);
    assertThat(database.orders()).doesNotHaveDuplicates();
  }

  private long waitingForTheTable() {
    return database.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  }

  /** The server would go on with the statement of a client that is gone. */
  private void endWhatItHasLeft() {
    eventually(
        () -> {
          database.texts(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                  + " WHERE wait_event_type = 'Lock'");
          assertThat(waitingForTheTable()).isZero();
        });
  }

  /** Without a pool, so that a server that is away is known at once. */
  private Inbox inbox(InboxListener listener) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setURL(database.url());
    return Inbox.builder()
        .store(JdbiInboxStore.create(dataSource))
        .transport(RabbitTransport.connect(Inboxes.amqp()))
        .listener(listener)
        .subscribe(
            queue, subscription -> limited(subscription.on(OrderPlaced.class, Effects::placed)))
        .build();
  }

  private static void limited(SubscriptionBuilder subscription) {
    subscription.topology(Topology.quorum().deliveryLimit(DELIVERY_LIMIT));
  }
}
