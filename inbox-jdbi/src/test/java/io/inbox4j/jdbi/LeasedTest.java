package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.listener.Health;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run outside any transaction. */
@Tag("slow")
@Timeout(60)
class LeasedTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final CountDownLatch released = new CountDownLatch(1);

  @Test
  void moreHandlersRunAtOnceThanThereAreConnections() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(Created.class, (event, context) -> waitForAll())
                    .leased()
                    .concurrency(50))) {
      service.start().deliver(50);
      await().until(() -> most.get() == 50);
      assertThat(
              service.database.count(
                  "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox'"))
          .isLessThan(50);
      released.countDown();
      service.awaitAll("processed", 50);
    }
  }

  @Test
  void itIsHandledOnceAndItsOutcomeIsStored() {
    try (Service service = leased(LeasedTest::effectAtCommit)) {
      service.deliver(100);
      service.awaitAll("processed", 100);
      assertThat(service.database.effects()).hasSize(100).doesNotHaveDuplicates();
      assertThat(service.statuses()).containsOnly("processed 1");
    }
  }

  @Test
  void thereIsNoTransactionToUnwrap() {
    try (Service service =
        leased(
            (event, context) -> context.unwrap(Handle.class),
            queue -> queue.retry(RetryPolicy.immediate(1)))) {
      service.deliver(1);
      service.awaitAll("dead", 1);
      assertThat(service.database.texts("SELECT error FROM inbox"))
          .allMatch(error -> error.contains("context.commitWith"));
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
                      Handle handle = transaction.unwrap(Handle.class);
                      TestDatabase.effect(handle, String.valueOf(event.n()));
                      handle.execute("SELECT 1 / ?", event.n() - 3);
                    }),
            queue -> queue.retry(RetryPolicy.immediate(1)))) {
      service.deliver(8);
      service.awaitAll("processed", 7);
      service.awaitAll("dead", 1);
      assertThat(service.database.effects()).containsExactly("0", "1", "2", "4", "5", "6", "7");
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
      assertThat(service.database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .allMatch(error -> error.contains("did not end within PT0.2S"));
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
      await()
          .atMost(PATIENCE)
          .until(() -> service.database.count("SELECT count(lease) FROM inbox_pending") == 0);
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
  void aLeaseIsRenewedWhileItsHandlerRuns() {
    try (Service service =
            Service.subscribing(
                    queue ->
                        queue
                            .on(Created.class, (event, context) -> released.await())
                            .leased(Duration.ofSeconds(3)))
                .start();
        Service another = Service.with(service.database, LeasedTest::leasedForASecond)) {
      service.deliver(1);
      await().until(() -> service.database.count("SELECT count(lease) FROM inbox_pending") == 1);
      String end = service.database.one(String.class, "SELECT due_on_utc::text FROM inbox_pending");
      another.start();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () ->
                  service.database.one(
                      Boolean.class, "SELECT now() > ?::timestamptz + interval '1 second'", end));
      released.countDown();
      service.awaitAll("processed", 1);
      assertThat(another.heard.lines()).noneMatch(line -> line.startsWith("processed"));
      assertThat(service.statuses()).containsExactly("processed 1");
    }
  }

  private static void leasedForASecond(InboxBuilder builder) {
    builder.subscribe(
        Service.QUEUE,
        queue -> queue.on(Created.class, (event, context) -> {}).leased(Duration.ofSeconds(1)));
  }

  @Test
  void aLateFinisherChangesNothing() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    try (Service late =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              begun.countDown();
                              released.await();
                              effectAtCommit(event, context);
                            })
                        .concurrency(1)
                        .leased(Duration.ofMinutes(1))) // so it does not look after it meanwhile
            .start()) {
      late.deliver(1);
      begun.await();
      late.database.execute("UPDATE inbox_pending SET lease = -1, due_on_utc = now()");
      try (Service other =
          Service.with(
                  late.database,
                  builder ->
                      builder.subscribe(
                          Service.QUEUE,
                          queue -> queue.on(Created.class, LeasedTest::effectAtCommit).leased()))
              .start()) {
        late.awaitAll("processed", 1);
        assertThat(other.heard.of("processed")).hasSize(1);
      }
      released.countDown();
      await().during(Duration.ofMillis(500)).until(() -> late.heard.of("processed").isEmpty());
      assertThat(late.database.effects()).containsExactly("0");
    }
  }

  @Test
  void aLateFinisherChangesNothingWhileAnotherIsAtIt() throws Exception {
    CountDownLatch lateHasBegun = new CountDownLatch(1);
    CountDownLatch otherHasBegun = new CountDownLatch(1);
    CountDownLatch otherGoesOn = new CountDownLatch(1);
    try (Service late = leasedForLong("late", lateHasBegun, released, TestDatabase.fresh())) {
      late.deliver(1);
      lateHasBegun.await();
      late.database.execute("UPDATE inbox_pending SET lease = -1, due_on_utc = now()");
      try (Service other = leasedForLong("other", otherHasBegun, otherGoesOn, late.database)) {
        otherHasBegun.await();
        released.countDown();
        await().during(Duration.ofMillis(500)).until(() -> late.heard.of("processed").isEmpty());
        assertThat(late.database.effects()).isEmpty();
        otherGoesOn.countDown();
        late.awaitAll("processed", 1);
      }
      assertThat(late.database.effects()).containsExactly("other");
    }
  }

  /** A service whose handler waits, and then has its name as an effect. */
  private static Service leasedForLong(
      String name, CountDownLatch begun, CountDownLatch goOn, TestDatabase database) {
    return Service.with(
            database,
            builder ->
                builder.subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(
                                Created.class,
                                (event, context) -> {
                                  begun.countDown();
                                  goOn.await();
                                  context.commitWith(
                                      transaction ->
                                          TestDatabase.effect(
                                              transaction.unwrap(Handle.class), name));
                                })
                            .concurrency(1)
                            .leased(Duration.ofMinutes(1))))
        .start();
  }

  @Test
  void closingGivesBackWhatHasNotBegunAndWhatIsInterrupted() {
    Service service =
        leased((event, context) -> Thread.sleep(60_000), queue -> queue.concurrency(2));
    service.deliver(5);
    await().until(() -> service.database.count("SELECT count(lease) FROM inbox_pending") == 2);
    service.inbox.close(Duration.ofMillis(100));
    assertThat(
            service.database.count(
                "SELECT count(*) FROM inbox_pending"
                    + " WHERE lease IS NULL AND crashes = 0 AND due_on_utc <= now()"))
        .isEqualTo(5);
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
      assertThat(
              service.database.texts(
                  "SELECT name FROM effects WHERE name::int % 2 = 0 ORDER BY ctid"))
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
      service.database.execute("UPDATE inbox_pending SET crashes = 3 WHERE seq % 2 = 0");
      service.database.execute(
          "UPDATE inbox_pending SET crashes = 4 WHERE seq = (SELECT min(seq) FROM inbox_pending)");
      service.inbox.startProcessing();
      service.awaitAll("dead", 1);
      service.awaitAll("processed", 3);
      assertThat(service.database.texts("SELECT error FROM inbox WHERE status = 'dead'"))
          .allMatch(error -> error.contains("died or was lost 3 times"));
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

  private void waitForAll() throws InterruptedException {
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    released.await();
    running.decrementAndGet();
  }

  private static void effectAtCommit(Created event, EventContext context) throws Exception {
    context.commitWith(
        transaction ->
            TestDatabase.effect(transaction.unwrap(Handle.class), String.valueOf(event.n())));
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
