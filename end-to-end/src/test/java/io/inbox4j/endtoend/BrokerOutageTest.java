package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.inbox4j.Inbox;
import io.inbox4j.testkit.RabbitServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker of its own, because these tests take it away. */
@Tag("slow")
class BrokerOutageTest {

  private static RabbitServer broker;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("outage");
  private final Outcomes outcomes = new Outcomes();

  @BeforeAll
  static void startBroker() {
    broker = RabbitServer.start();
    assumeThat(broker.isOwn()).as("a broker that can be killed").isTrue();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void aKilledBrokerLosesAndDoublesNothingAndReceivingGoesOnByItself() throws Exception {
    try (Inbox inbox = inbox()) {
      inbox.start();
      broker.flush();
      goesOnByItself(
          () -> {
            broker.kill9();
            broker.restart();
          });
    }
  }

  @Test
  void aStoppedBrokerLosesAndDoublesNothingAndReceivingGoesOnByItself() throws Exception {
    try (Inbox inbox = inbox()) {
      inbox.start();
      goesOnByItself(
          () -> {
            broker.stopApp();
            broker.startApp();
          });
    }
  }

  @Test
  void aBrokerThatIsAwayAtTheStartIsWaitedFor() throws Exception {
    Inboxes.declare(database, broker.uri(), queue, subscription -> {});
    try (Publisher publisher = new Publisher(broker.uri(), queue)) {
      publisher.orders("o", 3);
    }
    broker.stopApp();
    try (Inbox inbox = inbox()) {
      inbox.start();
      assertThat(outcomes.connected).hasValue(0);
      broker.startApp();
      eventually(() -> assertThat(database.orders()).containsExactly("o0", "o1", "o2"));
      assertThat(outcomes.connected).hasValue(1);
    }
  }

  private Inbox inbox() {
    return Inboxes.on(database, broker.uri())
        .listener(outcomes)
        .subscribe(queue, OrderPlaced.class, Effects::placed)
        .build();
  }

  private void goesOnByItself(Runnable outage) throws Exception {
    List<String> confirmed;
    try (Load load = Load.start(broker.uri(), queue)) {
      eventually(() -> assertThat(database.effects()).isGreaterThan(200));
      outage.run();
      int confirmedBefore = load.confirmed();
      assertThat(load.failures()).isPositive();
      eventually(() -> assertThat(load.confirmed()).isGreaterThan(confirmedBefore + 200));
      confirmed = load.stop();
    }
    eventually(() -> assertThat(database.orders()).containsAll(confirmed));
    eventually(() -> assertThat(database.pending()).isZero());
    assertThat(database.orders()).doesNotHaveDuplicates();
    assertThat(outcomes.disconnected).hasPositiveValue();
  }
}
