package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.LIMIT;
import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.testkit.ChildProcess;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A handler's SQL and the outcome of its message are committed together, or not at all. */
class OneTransactionTest {

  private static final int ORDERS = 5_000;

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("transaction");

  @Test
  void nobodyEverSeesAnEffectWithoutItsOutcome() throws Exception {
    try (Inbox inbox = Inboxes.recording(database, queue);
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      publisher.orders("o", ORDERS);
      eventually(() -> assertThat(database.stored()).isEqualTo(ORDERS));
      long effects = 0;
      int glances = 0;
      while (effects < ORDERS) {
        assertThat(
                database.count(
                    "SELECT (SELECT count(*) FROM effects) - (SELECT count(*) FROM inbox_processed)"))
            .isZero();
        effects = database.effects();
        if (glances++ == 0) {
          inbox.startProcessing();
        }
      }
      assertThat(glances).isGreaterThan(1);
    }
    assertThat(
            database.count(
                "SELECT count(*) FROM inbox_messages m JOIN inbox_processed p USING (seq)"
                    + " JOIN effects e ON e.name = inbox_content(m.body) ->> 'order'"
                    + " WHERE e.run = p.xmin"))
        .as("effects that were written by the transaction that wrote the outcome")
        .isEqualTo(ORDERS);
  }

  @Test
  void theEffectOfAFailedAttemptIsUndoneAndTheAttemptIsCounted() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    try (Inbox inbox =
            Inboxes.on(database)
                .subscribe(
                    queue,
                    subscription ->
                        subscription
                            .on(
                                OrderPlaced.class,
                                (event, context) -> {
                                  Effects.placed(event, context);
                                  if (event.order().equals("bad1") && calls.incrementAndGet() > 0) {
                                    throw new IllegalStateException("no stock");
                                  }
                                })
                            .retry(RetryPolicy.immediate(3)))
                .build();
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      inbox.startReceiving();
      publisher.orders("bad", 3);
      eventually(() -> assertThat(database.stored()).isEqualTo(3));
      inbox.startProcessing();
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(calls).hasValueGreaterThanOrEqualTo(3);
    assertThat(database.orders()).containsExactly("bad0", "bad2");
    assertThat(
            database.texts(
                "SELECT status || ' after ' || attempts || ': ' || split_part(error, E'\\n', 1)"
                    + " FROM inbox WHERE content ->> 'order' = 'bad1'"))
        .containsExactly(
            "dead after 3: attempt 3 of 3 failed:" + " java.lang.IllegalStateException: no stock");
  }

  @Test
  @Tag("slow")
  void theEffectOfAWorkerKilledAfterItsSqlIsUndoneAndTheMessageIsHandledOnce() throws Exception {
    Inboxes.declare(database, queue);
    try (ChildProcess receiver = OrderService.receiver(database, queue);
        Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.order("o0");
      try (ChildProcess worker = OrderService.worker(database, queue, "stopAt=o0")) {
        worker.awaitLine("ran o0", LIMIT);
        assertThat(receiver.isAlive()).isTrue();
        worker.kill9();
      }
      assertThat(database.effects()).isZero();
      assertThat(database.pending()).isOne();
      try (ChildProcess worker = OrderService.worker(database, queue)) {
        worker.awaitLine("processed", LIMIT);
      }
    }
    assertThat(database.orders()).containsExactly("o0");
    assertThat(database.pending()).isZero();
  }
}
