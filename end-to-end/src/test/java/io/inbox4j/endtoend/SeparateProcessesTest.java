package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.testkit.ChildProcess;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One process receives, others handle; they share nothing but the database. */
@Tag("slow")
class SeparateProcessesTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("separate");

  @Test
  void aWorkerIsWokenByWhatAnotherProcessStoresLongBeforeItPolls() throws Exception {
    try (ChildProcess receiver = OrderService.receiver(database, queue);
        ChildProcess worker = OrderService.worker(database, queue, "poll=PT1H");
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      receiver.awaitLine("started", LIMIT);
      worker.awaitLine("started", LIMIT);
      eventually(() -> assertThat(listening()).isPositive());
      for (int i = 0; i < 5; i++) {
        String order = "o" + i;
        publisher.order(order);
        eventually(() -> assertThat(database.effectsOf(order)).isOne());
      }
      assertThat(receiver.lines()).noneMatch(line -> line.startsWith("ran"));
      assertThat(worker.lines()).contains("ran o0", "ran o4");
    }
    assertThat(database.orders()).isEqualTo(List.of("o0", "o1", "o2", "o3", "o4"));
  }

  @Test
  void aWorkerLeavesTypesThatItDoesNotKnowToTheOther() throws Exception {
    try (ChildProcess receiver = OrderService.receiver(database, queue, "events=placed,cancelled");
        ChildProcess one = OrderService.worker(database, queue, "events=placed");
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      receiver.awaitLine("started", LIMIT);
      publisher.cancellation("cancelled");
      publisher.order("placed");
      one.awaitLine("ran placed", LIMIT);
      eventually(() -> assertThat(database.orders()).containsExactly("placed"));
      assertThat(database.texts("SELECT type || ' ' || attempts FROM inbox_pending"))
          .containsExactly("orders.order-cancelled 0");
      try (ChildProcess other = OrderService.worker(database, queue, "events=cancelled")) {
        other.awaitLine("ran cancelled", LIMIT);
        eventually(() -> assertThat(database.pending()).isZero());
      }
      assertThat(one.lines()).doesNotContain("ran cancelled");
    }
    assertThat(database.orders()).containsExactly("cancelled", "placed");
    assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
  }

  private long listening() {
    return database.count(
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND query LIKE 'LISTEN _inbox.%' AND state = 'idle'");
  }
}
