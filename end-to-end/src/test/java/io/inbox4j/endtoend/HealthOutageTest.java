package io.inbox4j.endtoend;

import static io.inbox4j.listener.Health.Status.DOWN;
import static io.inbox4j.listener.Health.Status.UP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.inbox4j.Inbox;
import io.inbox4j.listener.Health.Part;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers of its own, because these tests take them away: both outages show within seconds. */
@Tag("slow")
class HealthOutageTest {

  private static RabbitServer broker;
  private static PostgresServer server;

  private final Database database = Database.at(server.newDatabase());
  private final String queue = Inboxes.newQueue("health-outage");

  @BeforeAll
  static void startServers() {
    broker = RabbitServer.start();
    server = PostgresServer.start();
  }

  @AfterAll
  static void stopServers() {
    broker.close();
    server.close();
  }

  @Test
  void aBrokerThatIsStoppedAndStarted() {
    assumeThat(broker.isOwn()).as("a broker that can be stopped").isTrue();
    try (Inbox inbox = inbox()) {
      inbox.start();
      HealthWatch part = HealthWatch.of(inbox, "broker", queue);
      HealthWatch consumers = HealthWatch.of(inbox, "consumers", queue);
      Part before = part.becomes(UP);
      consumers.becomes(UP, "1 of 1 consumers");
      broker.stopApp();
      assertThat(part.becomes(DOWN, "is not connected").since()).isAfter(before.since());
      consumers.becomes(DOWN, "0 of 1 consumers");
      assertThat(HealthWatch.of(inbox, "database").now().status()).isEqualTo(UP);
      broker.startApp();
      part.becomes(UP);
      consumers.becomes(UP, "1 of 1 consumers");
    }
  }

  @Test
  void aBrokerThatIsAwayAtTheStart() {
    assumeThat(broker.isOwn()).as("a broker that can be stopped").isTrue();
    broker.stopApp();
    try (Inbox inbox = inbox()) {
      inbox.start();
      HealthWatch part = HealthWatch.of(inbox, "broker", queue);
      part.becomes(DOWN, "is not connected");
      broker.startApp();
      part.becomes(UP);
    }
  }

  @Test
  void aDatabaseThatIsKilledAndStarted() {
    try (Inbox inbox = inbox()) {
      inbox.start();
      HealthWatch part = HealthWatch.of(inbox, "database");
      part.becomes(UP, "answers in");
      server.kill9();
      try {
        part.becomes(DOWN);
        HealthWatch.of(inbox, "lag", queue).becomes(UP, "not known for");
      } finally {
        server.restart();
      }
      part.becomes(UP, "answers in");
      HealthWatch.of(inbox, "lag", queue).becomes(UP, "nothing is due");
    }
  }

  @Test
  void aDatabaseThatIsFrozenAndGoesOn() {
    try (Inbox inbox = inbox()) {
      inbox.start();
      HealthWatch part = HealthWatch.of(inbox, "database");
      part.becomes(UP, "answers in");
      server.freeze();
      try {
        part.becomes(DOWN, "no answer for");
        long begin = System.nanoTime();
        inbox.health();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(100));
      } finally {
        server.unfreeze();
      }
      part.becomes(UP, "answers in");
    }
  }

  private Inbox inbox() {
    return Inboxes.on(database, broker.uri())
        .subscribe(queue, OrderPlaced.class, Effects::placed)
        .build();
  }
}
