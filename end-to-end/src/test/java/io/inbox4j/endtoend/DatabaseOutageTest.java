package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A PostgreSQL of its own, because these tests take it away. */
@Tag("slow")
class DatabaseOutageTest {

  private static PostgresServer server;

  private final Database database = Database.at(server.newDatabase());
  private final String queue = Inboxes.newQueue("no-database");
  private final Outcomes outcomes = new Outcomes();

  @BeforeAll
  static void startServer() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void aKilledDatabaseLosesAndDoublesNothingAndWorkGoesOnByItself() throws Exception {
    Inboxes.declare(database, queue);
    try (Inbox inbox = inbox();
        Load load = Load.start(Inboxes.amqp(), queue)) {
      inbox.start();
      eventually(() -> assertThat(database.effects()).isGreaterThan(200));
      server.kill9();
      int confirmedBefore = load.confirmed();
      eventually(() -> assertThat(load.confirmed()).isGreaterThan(confirmedBefore + 200));
      eventually(() -> assertThat(outcomes.interrupted).hasPositiveValue());
      server.restart();
      List<String> confirmed = load.stop();
      eventually(() -> assertThat(database.orders()).containsAll(confirmed));
      eventually(() -> assertThat(database.pending()).isZero());
      assertThat(load.failures()).isZero();
    }
    assertThat(database.orders()).doesNotHaveDuplicates();
    assertThat(database.count("SELECT count(*) FROM inbox WHERE status <> 'processed'")).isZero();
  }

  @Test
  void deliveriesWaitAtTheBrokerWhileTheDatabaseIsAway() throws Exception {
    try (Inbox inbox = inbox();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      publisher.order("before");
      eventually(() -> assertThat(database.stored()).isOne());
      server.kill9();
      publisher.orders("o", 100);
      eventually(() -> assertThat(outcomes.disconnected).hasValue(1));
      eventually(() -> assertThat(publisher.ready()).isEqualTo(100));
      server.restart();
      eventually(() -> assertThat(database.stored()).isEqualTo(101));
      eventually(() -> assertThat(unacknowledged()).isZero());
      assertThat(publisher.ready()).isZero();
    }
    assertThat(outcomes.disconnected).hasValue(1);
    assertThat(database.pending()).isEqualTo(101);
  }

  @Test
  void handlersGoOnWithoutAnAttemptUsedUpAfterTheDatabaseWasAway() throws Exception {
    try (Inbox inbox = inbox();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      publisher.orders("o", 300);
      eventually(() -> assertThat(database.stored()).isEqualTo(300));
      server.kill9();
      inbox.startProcessing();
      server.restart();
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).hasSize(300).doesNotHaveDuplicates();
    assertThat(database.count("SELECT max(attempts) FROM inbox_processed")).isOne();
  }

  private Inbox inbox() {
    return Inboxes.on(database)
        .listener(outcomes)
        .subscribe(queue, OrderPlaced.class, Effects::placed)
        .build();
  }

  private long unacknowledged() {
    return Queues.count(RabbitServer.shared(), queue, "messages_unacknowledged");
  }
}
