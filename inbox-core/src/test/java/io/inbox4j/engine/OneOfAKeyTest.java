package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of an ordering key one message runs at a time, also when an earlier one comes back. */
@Timeout(60)
class OneOfAKeyTest {

  private final Queue<String> begun = new ConcurrentLinkedQueue<>();
  private final CountDownLatch goOn = new CountDownLatch(1);

  @Test
  void aReplayedMessageWaitsForALaterOneThatIsLeased() {
    try (Service service = withADeadFirst(queue -> queue.leased().concurrency(4))) {
      service.inbox.startProcessing();
      replayWhileTheLaterOneRuns(service);
    }
  }

  @Test
  void aReplayedMessageWaitsForALaterOneThatWasInFlightWhenAProcessDied() {
    try (Service service = withADeadFirst(queue -> queue.concurrency(4))) {
      makeOrphan(service, 0);
      service.inbox.startProcessing();
      replayWhileTheLaterOneRuns(service);
    }
  }

  @Test
  void aReplayedMessageWaitsForALaterOneThatRunsAlone() {
    try (Service service = withADeadFirst(queue -> queue.concurrency(4))) {
      makeOrphan(service, 1);
      service.inbox.startProcessing();
      replayWhileTheLaterOneRuns(service);
    }
  }

  @Test
  void aReplayedMessageWaitsForALaterOneThatRunsAloneUnderALease() {
    try (Service service = withADeadFirst(queue -> queue.leased().concurrency(4))) {
      makeOrphan(service, 1);
      service.inbox.startProcessing();
      replayWhileTheLaterOneRuns(service);
    }
  }

  private void replayWhileTheLaterOneRuns(Service service) {
    await().until(() -> begun.contains("1"));
    assertThat(service.inbox.deadLetters().replay(MessageFilter.all())).isEqualTo(1);
    await().during(Duration.ofMillis(500)).until(() -> begun.size() == 1);
    goOn.countDown();
    service.awaitAll("processed", 2);
    assertThat(begun).containsExactly("1", "0");
  }

  /** Two messages of one key, of which the first is dead; it receives, and does not process. */
  private Service withADeadFirst(Consumer<SubscriptionBuilder> options) {
    Service service =
        Service.subscribing(
            queue ->
                options.accept(
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              begun.add(String.valueOf(event.n()));
                              goOn.await();
                            })
                        .orderedBy(IntegrationEvent.class, event -> "key")));
    service.inbox.startReceiving();
    service.deliver(2);
    try (WorkTransaction transaction = service.store.begin(Service.QUEUE)) {
      long first = transaction.claim(Set.of("created"), 1).get(0).sequence();
      transaction.commit(List.of(new Outcome.Dead(first, "broken")));
    }
    return service;
  }

  /** As if a process had died over it, so many times after it was noted. */
  private static void makeOrphan(Service service, int crashes) {
    try (WorkTransaction dying = service.store.begin(Service.QUEUE)) {
      dying.claim(Set.of("created"), 10);
    }
    service.makeOrphans(crashes);
  }
}
