package io.inbox4j.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.listener.Health;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service that publishes while the broker is not there. */
@Tag("slow")
@Timeout(180)
class BrokerAwayTest {

  @Test
  void whatIsPublishedBeforeTheQueuesExistArrivesWhenTheyDo() {
    String database = PostgresServer.shared().newDatabase();
    AtomicInteger handled = new AtomicInteger();
    try (RabbitServer broker = RabbitServer.start()) {
      assumeThat(broker.isOwn()).isTrue();
      broker.kill9();
      try (Inbox inbox =
          Inbox.builder()
              .store(JdbiInboxStore.connect(database))
              .transport(RabbitTransport.connect(broker.uri()))
              .subscribe(
                  "publishing.first",
                  OrderPlaced.class,
                  (event, context) -> handled.incrementAndGet())
              .build()) {
        inbox.start();
        for (int i = 0; i < 20; i++) {
          inbox.outbox().publish(new OrderPlaced(null, i, "c", i));
        }
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () ->
                    inbox.health().parts().stream()
                        .anyMatch(
                            it ->
                                it.name().equals("publishing")
                                    && it.status() == Health.Status.DEGRADED));
        broker.restart();
        await().atMost(Duration.ofSeconds(60)).until(() -> handled.get() == 20);
        assertThat(inbox.outbox().status().dead()).isZero();
      }
    }
  }
}
