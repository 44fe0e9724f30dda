package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class CloseTest {

  private final Database database = Database.fresh();
  private final String queue = Inboxes.newQueue("close");

  @Test
  void closingUnderLoadLosesAndDoublesNothing() throws Exception {
    Inboxes.declare(database, queue);
    List<String> confirmed;
    try (Load load = Load.start(Inboxes.amqp(), queue)) {
      for (int i = 1; i <= 3; i++) {
        long before = database.effects();
        try (Inbox inbox = Inboxes.recording(database, queue)) {
          inbox.start();
          eventually(() -> assertThat(database.effects()).isGreaterThan(before + 200));
          assertThat(timeOf(() -> inbox.close(Duration.ofSeconds(10))))
              .isLessThan(Duration.ofSeconds(10));
        }
      }
      confirmed = load.stop();
    }
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.start();
      eventually(() -> assertThat(database.stored()).isGreaterThanOrEqualTo(confirmed.size()));
      eventually(() -> assertThat(database.pending()).isZero());
    }
    assertThat(database.orders()).containsAll(confirmed).doesNotHaveDuplicates();
  }

  @Test
  void aHandlerThatDoesNotReturnIsUndoneAtTheDeadlineAndItsMessageIsHandledLater()
      throws Exception {
    CountDownLatch inFlight = new CountDownLatch(1);
    Inbox stuck =
        Inboxes.on(database)
            .subscribe(
                queue,
                OrderPlaced.class,
                (event, context) -> {
                  Effects.placed(event, context);
                  inFlight.countDown();
                  new CountDownLatch(1).await();
                })
            .build();
    stuck.start();
    try (Publisher publisher = new Publisher(Inboxes.amqp(), queue)) {
      publisher.order("o");
    }
    inFlight.await();
    assertThat(timeOf(() -> stuck.close(Duration.ofSeconds(2))))
        .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    assertThat(database.effects()).isZero();
    try (Inbox inbox = Inboxes.recording(database, queue)) {
      inbox.start();
      eventually(() -> assertThat(database.orders()).containsExactly("o"));
    }
  }

  @Test
  void aSecondCloseDoesNothing() {
    Inbox inbox = Inboxes.recording(database, queue);
    inbox.start();
    inbox.close();
    assertThat(timeOf(inbox::close)).isLessThan(Duration.ofSeconds(1));
  }

  private static Duration timeOf(Runnable work) {
    long begin = System.nanoTime();
    work.run();
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
