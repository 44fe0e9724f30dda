package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import io.inbox4j.Inbox;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class DuplicateDeliveryTest {

  private static final int DELIVERIES = 1_000;
  private static final int CONNECTIONS = 16;

  private final Database database = Database.fresh();
  private final Outcomes outcomes = new Outcomes();

  @Test
  void aMessageDeliveredAThousandTimesOnSixteenConnectionsHasOneEffect() throws Exception {
    String queue = Inboxes.newQueue("repeated");
    List<Inbox> inboxes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Inbox inbox = repeated(queue);
        inboxes.add(inbox);
        inbox.start();
      }
      publishFromEveryConnectionAtOnce(queue);
      eventually(
          () ->
              assertThat(outcomes.received.get() + outcomes.duplicates.get())
                  .isEqualTo(DELIVERIES));
      eventually(() -> assertThat(database.pending()).isZero());
    } finally {
      inboxes.forEach(Inbox::close);
    }
    assertThat(outcomes.received).hasValue(1);
    assertThat(outcomes.processed).hasValue(1);
    assertThat(database.orders()).containsExactly("same");
  }

  private Inbox repeated(String queue) {
    return Inboxes.on(database)
        .listener(outcomes)
        .subscribe(
            queue, subscription -> subscription.on(OrderPlaced.class, Effects::placed).consumers(4))
        .build();
  }

  private static void publishFromEveryConnectionAtOnce(String queue) throws Exception {
    CyclicBarrier allConnected = new CyclicBarrier(CONNECTIONS);
    ExecutorService publishers = Executors.newFixedThreadPool(CONNECTIONS);
    try {
      List<Future<Void>> done = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        int copies = DELIVERIES / CONNECTIONS + (i < DELIVERIES % CONNECTIONS ? 1 : 0);
        done.add(
            publishers.submit(
                () -> {
                  try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
                    allConnected.await();
                    for (int copy = 0; copy < copies; copy++) {
                      publisher.send("same");
                    }
                    publisher.confirm();
                  }
                  return null;
                }));
      }
      for (Future<Void> publisher : done) {
        publisher.get();
      }
    } finally {
      publishers.shutdownNow();
    }
  }

  @Test
  void theSameEventOnTwoQueuesHasTwoEffects() throws Exception {
    String exchange = Inboxes.newQueue("two-queues");
    try (Publisher publisher = new Publisher(Inboxes.amqp(), "")) {
      publisher.channel().exchangeDeclare(exchange, BuiltinExchangeType.FANOUT, true);
      try (Inbox inbox =
          Inboxes.on(database)
              .listener(outcomes)
              .subscribe(
                  exchange + ".billing",
                  queue -> queue.on(OrderPlaced.class, Effects::placed).bind(exchange, ""))
              .subscribe(
                  exchange + ".shipping",
                  queue -> queue.on(OrderPlaced.class, Effects::placed).bind(exchange, ""))
              .build()) {
        inbox.start();
        publisher.order(exchange, "", "both");
        publisher.order(exchange, "", "both");
        eventually(() -> assertThat(outcomes.duplicates).hasValue(2));
        eventually(() -> assertThat(database.pending()).isZero());
      }
    }
    assertThat(database.orders()).containsExactly("both", "both");
    assertThat(database.texts("SELECT endpoint FROM inbox ORDER BY 1"))
        .containsExactly(exchange + ".billing", exchange + ".shipping");
  }
}
