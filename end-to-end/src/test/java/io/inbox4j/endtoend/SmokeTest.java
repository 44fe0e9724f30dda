package io.inbox4j.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.MessageIds;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.rabbitmq.RabbitTransport;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

class SmokeTest {

  @Test
  void ordersAreHandledOnce() throws Exception {
    Database database = Database.fresh();
    String amqp = RabbitServer.shared().uri();
    try (Inbox inbox =
        Inbox.builder()
            .store(JdbiInboxStore.connect(database.url()))
            .transport(RabbitTransport.connect(amqp))
            .subscribe(
                "smoke.orders",
                OrderPlaced.class,
                (event, context) ->
                    context
                        .unwrap(Handle.class)
                        .execute(
                            "INSERT INTO effects VALUES (?, ?)", event.order(), event.amount()))
            .build()) {
      inbox.start();
      long begin = System.nanoTime();
      try (Publisher publisher = new Publisher(amqp, "smoke.orders")) {
        for (int i = 0; i < 20_000; i++) {
          var id = MessageIds.of("order", i % 15_000);
          publisher.send(Publisher.order(id), Publisher.body(id, "o" + i % 15_000, 1));
        }
        publisher.confirm();
      }
      System.err.println("published " + (System.nanoTime() - begin) / 1_000_000 + " ms");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(database.effects()).isEqualTo(15_000));
      System.err.println("took " + (System.nanoTime() - begin) / 1_000_000 + " ms");
      System.err.println(
          database.rows("SELECT status, count(*), max(attempts) FROM inbox GROUP BY 1"));
    }
  }
}
