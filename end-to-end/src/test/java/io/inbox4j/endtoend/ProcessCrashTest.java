package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.testkit.ChildProcess;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ProcessCrashTest {

  private static final int ORDERS = 20;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("crash");

  @Test
  void aWorkerKilledInTheMiddleOfABatchLosesAndDoublesNothing() throws Exception {
    storeOrders();
    try (ChildProcess worker = OrderService.worker(database, queue, "stopAt=o5")) {
      worker.awaitLine("stopped at o5", LIMIT);
      assertThat(worker.lines()).contains("ran o0", "ran o4").doesNotContain("ran o6");
      assertThat(worker.lines()).noneMatch(line -> line.startsWith("processed"));
      assertThat(openTransactions()).isOne();
      worker.kill9();
    }
    assertThat(database.effects()).isZero();
    assertThat(database.pending()).isEqualTo(ORDERS);
    try (ChildProcess worker = OrderService.worker(database, queue)) {
      worker.awaitLine("started", LIMIT);
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).containsExactlyInAnyOrderElementsOf(orders());
  }

  @Test
  void aReceiverKilledBetweenCommitAndAcknowledgementLosesAndDoublesNothing() throws Exception {
    Inboxes.declare(database, queue);
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("o", ORDERS);
      try (ChildProcess receiver = OrderService.receiver(database, queue, "stopBeforeAck=yes")) {
        receiver.awaitLine("stored", LIMIT);
        assertThat(database.stored()).isPositive();
        receiver.kill9();
      }
      eventually(() -> assertThat(publisher.ready()).isEqualTo(ORDERS));
      Outcomes outcomes = new Outcomes();
      long storedBefore = database.stored();
      try (Inbox inbox =
          Inboxes.on(database)
              .listener(outcomes)
              .subscribe(queue, OrderPlaced.class, Effects::placed)
              .build()) {
        inbox.start();
        eventually(
            () ->
                assertThat(outcomes.received.get() + outcomes.duplicates.get()).isEqualTo(ORDERS));
        eventually(() -> assertThat(database.pending()).isZero());
      }
      assertThat(outcomes.duplicates.get()).isEqualTo((int) storedBefore);
      assertThat(publisher.ready()).isZero();
    }
    assertThat(database.orders()).containsExactlyInAnyOrderElementsOf(orders());
  }

  @Test
  void aFrozenWorkerThatGoesOnAfterItsMessagesWereHandledElsewhereChangesNothing()
      throws Exception {
    storeOrders();
    try (ChildProcess frozen =
        OrderService.worker(database, queue, "stopAt=o5", "idle=PT1S", "poll=PT1H")) {
      frozen.awaitLine("stopped at o5", LIMIT);
      frozen.stop();
      try (ChildProcess worker = OrderService.worker(database, queue)) {
        worker.awaitLine("started", LIMIT);
        eventually(() -> assertThat(database.pending()).isZero());
      }
      frozen.send("go on");
      frozen.cont();
      frozen.awaitLine("goes on", LIMIT);
      frozen.awaitLine("interrupted", LIMIT);
      assertThat(frozen.lines()).noneMatch(line -> line.startsWith("processed"));
    }
    assertThat(database.orders()).containsExactlyInAnyOrderElementsOf(orders());
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(ORDERS);
  }

  @Test
  void aMessageThatKillsItsProcessDiesByItselfAndItsNeighboursAreHandledOnce() throws Exception {
    storeOrders();
    int starts = 0;
    while (database.pending() > 0) {
      assertThat(++starts).as("starts of the worker").isLessThanOrEqualTo(8);
      try (ChildProcess worker = OrderService.worker(database, queue, "haltAt=o5", "attempts=2")) {
        eventually(() -> assertThat(!worker.isAlive() || database.pending() == 0).isTrue());
      }
    }
    assertThat(starts).isGreaterThan(2);
    assertThat(database.orders())
        .containsExactlyInAnyOrderElementsOf(
            orders().stream().filter(order -> !order.equals("o5")).toList());
    assertThat(database.texts("SELECT content ->> 'order' FROM inbox WHERE status = 'dead'"))
        .containsExactly("o5");
    assertThat(
            database.texts("SELECT attempt || ' ' || fingerprint FROM inbox_attempts ORDER BY 1"))
        .as("each attempt ended with a crash")
        .containsExactly("1 crash", "2 crash");
    assertThat(database.texts("SELECT attempts || ': ' || error FROM inbox_dead"))
        .singleElement()
        .asString()
        .startsWith("2: ")
        .contains("the process died");
  }

  /** Lets all orders be stored before anybody handles one, so that they are one batch. */
  private void storeOrders() throws Exception {
    Inboxes.declare(database, queue);
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("o", ORDERS);
    }
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.startReceiving();
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS));
    }
  }

  private long openTransactions() {
    return database.count(
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND state = 'idle in transaction'");
  }

  private static List<String> orders() {
    return IntStream.range(0, ORDERS).mapToObj(i -> "o" + i).toList();
  }
}
