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

/** Processes that die or freeze while they handle messages under a lease, or inline. */
@Tag("slow")
class HandlingModeCrashTest {

  private static final int ORDERS = 20;
  private static final String LEASED = "handling=leased";
  private static final String INLINE = "handling=inline";

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("mode-crash");

  @Test
  void aWorkerFrozenPastItsLeaseAndContinuedChangesNothing() throws Exception {
    storeOrders();
    try (ChildProcess frozen =
        OrderService.worker(database, queue, LEASED, "stopAt=o5", "idle=PT1S")) {
      frozen.awaitLine("stopped at o5", LIMIT);
      frozen.stop();
      try (ChildProcess worker = OrderService.worker(database, queue, LEASED)) {
        eventually(() -> assertThat(database.pending()).isZero());
        assertThat(worker.lines()).contains("ran o5");
      }
      frozen.send("go on");
      frozen.cont();
      frozen.awaitLine("goes on", LIMIT);
      storeOneMore();
      frozen.awaitLine("ran later", LIMIT);
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders().stream().filter(order -> !order.startsWith("later")))
        .containsExactlyInAnyOrderElementsOf(orders());
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(ORDERS + 1);
  }

  @Test
  void theMessagesOfAKilledWorkerComeBackWhenItsLeaseEnds() throws Exception {
    storeOrders();
    try (ChildProcess worker = OrderService.worker(database, queue, LEASED, "stopAt=o5")) {
      worker.awaitLine("stopped at o5", LIMIT);
      worker.kill9();
    }
    assertThat(database.orders()).doesNotContain("o5");
    try (ChildProcess worker = OrderService.worker(database, queue, LEASED)) {
      worker.awaitLine("started", LIMIT);
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).containsExactlyInAnyOrderElementsOf(orders());
  }

  @Test
  void aLeasedMessageThatKillsItsProcessDiesByItselfAndItsNeighboursAreHandledOnce()
      throws Exception {
    storeOrders();
    int starts = 0;
    while (database.pending() > 0) {
      assertThat(++starts).as("starts of the worker").isLessThanOrEqualTo(8);
      try (ChildProcess worker =
          OrderService.worker(database, queue, LEASED, "haltAt=o5", "attempts=2")) {
        eventually(() -> assertThat(!worker.isAlive() || database.pending() == 0).isTrue());
      }
    }
    assertThat(database.orders())
        .containsExactlyInAnyOrderElementsOf(
            orders().stream().filter(order -> !order.equals("o5")).toList());
    assertThat(database.texts("SELECT content ->> 'order' FROM inbox WHERE status = 'dead'"))
        .containsExactly("o5");
    assertThat(
            database.texts("SELECT attempt || ' ' || fingerprint FROM inbox_attempts ORDER BY 1"))
        .as("each attempt ended with a crash")
        .containsExactly("1 crash", "2 crash");
  }

  @Test
  void aReceiverKilledInAnInlineHandlerLosesAndDoublesNothing() throws Exception {
    publish();
    try (ChildProcess receiver = OrderService.receiver(database, queue, INLINE, "stopAt=o5")) {
      receiver.awaitLine("stopped at o5", LIMIT);
      receiver.kill9();
    }
    assertThat(database.orders()).doesNotContain("o5");
    try (ChildProcess receiver = OrderService.receiver(database, queue, INLINE);
        ChildProcess worker = OrderService.worker(database, queue)) {
      eventually(() -> assertThat(database.orders()).hasSize(ORDERS));
      assertThat(receiver.lines()).doesNotContain("ran o5");
      assertThat(worker.lines()).contains("ran o5");
    }
    assertThat(database.orders()).containsExactlyInAnyOrderElementsOf(orders());
  }

  private void storeOrders() throws Exception {
    publish();
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.startReceiving();
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS));
    }
  }

  /** What the worker hands in after it shows that it is done with what it had before. */
  private void storeOneMore() throws Exception {
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue);
        Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.startReceiving();
      publisher.orders("later", 1);
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS + 1));
    }
  }

  private void publish() throws Exception {
    Inboxes.declare(database, queue);
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.orders("o", ORDERS);
    }
  }

  private static List<String> orders() {
    return IntStream.range(0, ORDERS).mapToObj(i -> "o" + i).toList();
  }
}
