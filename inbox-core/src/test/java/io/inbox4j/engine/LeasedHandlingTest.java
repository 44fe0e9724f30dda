package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.listener.Health;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run outside any transaction. */
@Timeout(60)
class LeasedHandlingTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final CountDownLatch released = new CountDownLatch(1);

  @Test
  void itIsHandledOnceAndItsOutcomeIsStored() {
    try (Service service = leased(LeasedHandlingTest::effectAtCommit)) {
      service.deliver(100);
      service.awaitAll("processed", 100);
      assertThat(service.effects()).hasSize(100).doesNotHaveDuplicates();
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  @Test
  void thereIsNoTransactionToUnwrap() {
    try (Service service =
        leased(
            (event, context) -> context.unwrap(InMemoryTransaction.class),
            queue -> queue.retry(RetryPolicy.immediate(1)))) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      assertThat(service.errors()).allMatch(error -> error.contains("context.commitWith"));
    }
  }

  @Test
  void failuresAreRetriedAndDieByThePolicy() {
    try (Service service =
        leased(
            (event, context) -> {
              if (event.n() == 1) {
                throw DeadLetter.because("one is enough");
              }
              if (event.n() == 2 && context.attempt() < 3) {
                throw new IllegalStateException("not yet");
              }
            },
            queue -> queue.retry(RetryPolicy.immediate(5)))) {
      service.deliver(3);
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(service.statuses()).containsExactly("processed 1", "dead 1", "processed 3");
    }
  }

  @Test
  void anEffectThatFailsIsTheHandlersFailureAndTheOthersCommit() {
    try (Service service =
        leased(
            (event, context) ->
                context.commitWith(
                    transaction -> {
                      Service.effect(transaction, String.valueOf(event.n()));
                      if (event.n() == 3) {
                        throw new ArithmeticException("division by zero");
                      }
                    }),
            queue -> queue.retry(RetryPolicy.immediate(1)))) {
      service.deliver(8);
      service.awaitAll("processed", 7);
      service.awaitAll("dead", 1);
      assertThat(service.effects()).containsExactly("0", "1", "2", "4", "5", "6", "7");
    }
  }

  @Test
  void aHandlerThatTakesTooLongIsInterruptedAndRetried() {
    Queue<String> seen = new ConcurrentLinkedQueue<>();
    try (Service service =
        leased(
            (event, context) -> {
              if (context.attempt() == 1) {
                try {
                  released.await(); // which nobody does
                } catch (InterruptedException e) {
                  seen.add("interrupted");
                  throw e;
                }
              }
            },
            queue ->
                queue.handlerTimeout(Duration.ofMillis(200)).retry(RetryPolicy.immediate(2)))) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(seen).containsExactly("interrupted");
      assertThat(service.statuses()).containsExactly("processed 2");
    }
  }

  @Test
  void aHandlerThatNeverReturnsDoesNotHoldUpTheOthers() {
    try (Service service =
        leased(
            (event, context) -> {
              while (event.n() == 0 && released.getCount() > 0) {
                Thread.onSpinWait();
              }
            },
            queue ->
                queue
                    .concurrency(1)
                    .handlerTimeout(Duration.ofMillis(200))
                    .retry(RetryPolicy.immediate(1)))) {
      service.deliver(3);
      service.awaitAll("processed", 2);
      service.awaitAll("dead", 1);
      assertThat(service.errors()).allMatch(error -> error.contains("did not end within PT0.2S"));
      released.countDown();
    }
  }

  @Test
  void handlersThatNeverReturnDoNotPileUp() {
    AtomicInteger inside = new AtomicInteger();
    try (Service service =
        leased(
            (event, context) -> {
              inside.incrementAndGet();
              awaitIgnoringInterrupts(released);
              inside.decrementAndGet();
            },
            queue ->
                queue
                    .concurrency(2)
                    .handlerTimeout(Duration.ofMillis(50))
                    .retry(RetryPolicy.never()))) {
      service.deliver(30);
      await().atMost(PATIENCE).until(() -> workersOf(service).status() == Health.Status.DOWN);
      assertThat(workersOf(service).detail())
          .startsWith("0 of 2 workers; 18 handlers do not return though they were interrupted");
      service.awaitAll("dead", 18);
      await().atMost(PATIENCE).until(() -> notDue(service) == 0);
      assertThat(inside).hasValue(18);
      released.countDown();
      service.awaitAll("processed", 12);
      await().atMost(PATIENCE).until(() -> workersOf(service).status() == Health.Status.UP);
      assertThat(inside).hasValue(0);
    }
  }

  private static void awaitIgnoringInterrupts(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // as a handler does that cannot be interrupted
      }
    }
  }

  private static Health.Part workersOf(Service service) {
    return service.inbox.health().part("workers", Service.QUEUE).orElseThrow();
  }

  @Test
  void closingGivesBackWhatHasNotBegunAndWhatIsInterrupted() {
    Service service =
        leased((event, context) -> Thread.sleep(60_000), queue -> queue.concurrency(2));
    service.deliver(5);
    await().until(() -> notDue(service) == 2);
    service.inbox.close(Duration.ofMillis(100));
    try (WorkTransaction transaction = service.store.begin(Service.QUEUE)) {
      assertThat(transaction.claim(Set.of(Messages.TYPE), 10))
          .hasSize(5)
          .noneMatch(ClaimedMessage::orphaned);
    }
  }

  @Test
  void messagesOfOneKeyRunOneAtATimeAndInOrder() {
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger inKey = new AtomicInteger();
    try (Service service =
        leased(
            (event, context) -> {
              if (event.n() % 2 == 0 && inKey.incrementAndGet() > 1) {
                overlaps.incrementAndGet();
              }
              Thread.sleep(10);
              if (event.n() % 2 == 0) {
                inKey.decrementAndGet();
              }
              effectAtCommit(event, context);
            },
            queue ->
                queue
                    .concurrency(10)
                    .orderedBy(Created.class, event -> event.n() % 2 == 0 ? "even" : null))) {
      service.deliver(20);
      service.awaitAll("processed", 20);
      assertThat(overlaps).hasValue(0);
      assertThat(service.store.effects())
          .filteredOn(name -> Integer.parseInt(name) % 2 == 0)
          .containsExactly("0", "2", "4", "6", "8", "10", "12", "14", "16", "18");
    }
  }

  @Test
  void aMessageWhoseProcessDiesAgainAndAgainRunsAloneAndDies() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          most.accumulateAndGet(running.incrementAndGet(), Math::max);
                          Thread.sleep(200);
                          running.decrementAndGet();
                        })
                    .leased()
                    .concurrency(10)
                    .retry(RetryPolicy.immediate(3)))) {
      service.inbox.startReceiving();
      service.deliver(4);
      crash(service, 0, 4);
      crash(service, 1, 3);
      crash(service, 3, 3);
      service.inbox.startProcessing();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 3);
      assertThat(service.errors()).allMatch(error -> error.contains("died or was lost 3 times"));
      assertThat(most).hasValueLessThan(3);
    }
  }

  @Test
  void leasedHandlersCannotTakeBatchesNorOthersTimeouts() {
    assertThatThrownBy(
            () ->
                Service.subscribing(
                    queue -> queue.onBatch(Created.class, (events, context) -> {}).leased()))
        .hasMessageContaining("handler of batches, which needs a transaction");
    assertThatThrownBy(
            () ->
                Service.subscribing(
                    queue ->
                        queue
                            .on(Created.class, (event, context) -> {})
                            .handlerTimeout(Duration.ofSeconds(1))))
        .hasMessageContaining("only leased handlers");
    assertThatThrownBy(() -> Service.subscribing(queue -> queue.leased(Duration.ofMillis(10))))
        .hasMessageContaining("the lease is PT0.01S; expected 1 s to 1 day");
    assertThatThrownBy(() -> Service.subscribing(queue -> queue.leased().inline()))
        .hasMessageContaining("has a mode already");
  }

  /** Notes that the process died over the n-th message, so many times. */
  private static void crash(Service service, int n, int times) {
    long sequence = service.store.messages().get(n).sequence();
    for (int i = 0; i < times; i++) {
      assertThat(service.store.markCrashRiskAlone(sequence, Duration.ZERO)).isTrue();
    }
  }

  /** How many messages are leased: nothing else makes them wait here. */
  private static long notDue(Service service) {
    Instant now = Instant.now();
    return service.store.listPending(MessageFilter.all(), 100).stream()
        .filter(message -> message.dueAt().isAfter(now))
        .count();
  }

  private static void effectAtCommit(Created event, EventContext context) throws Exception {
    context.commitWith(transaction -> Service.effect(transaction, String.valueOf(event.n())));
  }

  private static Service leased(EventHandler<Created> handler) {
    return leased(handler, queue -> queue.concurrency(10));
  }

  /** A service with a leased handler and a lease of one second, started. */
  private static Service leased(
      EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    return Service.subscribing(
            queue -> options.accept(queue.on(Created.class, handler).leased(Duration.ofSeconds(1))))
        .start();
  }
}
