package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.work.LeaseStatements;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leased handlers when something comes between: orphans, renewals, the database, the close. */
@Timeout(60)
@Tag("slow")
class LeasedFaultTest {

  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicBoolean broken = new AtomicBoolean();

  @Test
  void aMessageThatRunsAloneDoesNotHoldUpMessagesOfTheOtherKind() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(Created.class, (event, context) -> {})
                    .orderedBy(Created.class, event -> event.n() == 0 ? "key" : null)
                    .leased()
                    .concurrency(4))) {
      service.inbox.startReceiving();
      service.deliver(20);
      service.database.execute(
          "UPDATE inbox_pending SET crashes = 1 WHERE ordering_key IS NOT NULL");
      service.inbox.startProcessing();
      service.awaitAll("processed", 20);
    }
  }

  @Test
  void aMessageHasItsLastAttemptOnlyWhenNoEffectIsBeingCommitted() {
    AtomicBoolean inEffect = new AtomicBoolean();
    AtomicBoolean together = new AtomicBoolean();
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          if (event.n() == 1) {
                            together.set(inEffect.get());
                            return;
                          }
                          context.commitWith(
                              transaction -> {
                                inEffect.set(true);
                                Thread.sleep(500);
                                inEffect.set(false);
                              });
                        })
                    .leased()
                    .concurrency(4)
                    .retry(RetryPolicy.never()))) {
      service.inbox.startReceiving();
      service.deliver(2);
      service.database.execute(
          "UPDATE inbox_pending SET crashes = 1 WHERE seq = (SELECT max(seq) FROM inbox_pending)");
      service.inbox.startProcessing();
      service.awaitAll("processed", 2);
      assertThat(together).isFalse();
    }
  }

  @Test
  void whileTheCircuitIsOpenOneHandlerAtATimeIsTried() {
    broken.set(true);
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(Created.class, (event, context) -> countAndPerhapsFail())
                        .leased()
                        .concurrency(20)
                        .circuitBreaker(
                            CircuitBreaker.ofDefaults()
                                .minMessages(5)
                                .pause(Duration.ofMillis(200)))
                        .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(1_000)))
            .start()) {
      service.deliver(60);
      await().until(() -> !service.heard.of("circuit opened").isEmpty());
      await().until(() -> running.get() == 0);
      most.set(0);
      int before = calls.get();
      await().until(() -> calls.get() > before + 2);
      assertThat(most).hasValue(1);
      broken.set(false);
      service.awaitAll("processed", 60);
    }
  }

  private void countAndPerhapsFail() throws InterruptedException {
    calls.incrementAndGet();
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      Thread.sleep(100);
      if (broken.get()) {
        throw new IllegalStateException("broken");
      }
    } finally {
      running.decrementAndGet();
    }
  }

  @Test
  void aMessageThatEndsWhileItsLeaseIsRenewedIsDone() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              calls.incrementAndGet();
                              goOn.await();
                            })
                        .leased(Duration.ofSeconds(3)))
            .start()) {
      service.deliver(1);
      await().until(() -> calls.get() == 1);
      Jdbi.create(service.database.dataSource())
          .setTemplateEngine(InboxSchema.of(null))
          .useTransaction(
              handle -> {
                assertThat(
                        LeaseStatements.renew(
                            handle, List.of(leaseIn(handle)), Duration.ofSeconds(3)))
                    .hasSize(1);
                goOn.countDown();
                Thread.sleep(300);
              });
      service.awaitAll("processed", 1);
      assertThat(calls).hasValue(1);
      assertThat(service.heard.of("recovered")).isEmpty();
    }
  }

  private static Lease leaseIn(Handle handle) {
    return handle
        .select("SELECT seq, lease FROM inbox_pending")
        .map((row, context) -> new Lease(row.getLong(1), row.getLong(2)))
        .one();
  }

  @Test
  void renewalsAndCommitsOfManyMessagesDoNotGetInEachOthersWay() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              calls.incrementAndGet();
                              Thread.sleep(100 + event.n() % 400);
                            })
                        .leased(Duration.ofSeconds(1))
                        .concurrency(400))
            .start()) {
      service.deliver(3_000);
      service.awaitAll("processed", 3_000);
      assertThat(calls).hasValue(3_000);
    }
  }

  @Test
  void aClaimThatFailsHalfwayLosesNothing() {
    TestDatabase database = TestDatabase.fresh();
    InMemoryTransport transport = InMemoryTransport.create();
    try (Inbox inbox =
        Inbox.builder()
            .store(awayAfterTheFirstLease(database))
            .transport(transport)
            .defaults(all -> all.pollInterval(Duration.ofMillis(50)))
            .subscribe(
                Service.QUEUE,
                queue ->
                    queue
                        .on(Created.class, (event, context) -> {})
                        .on(Cancelled.class, (event, context) -> {})
                        .concurrency(Created.class, 1)
                        .concurrency(Cancelled.class, 1)
                        .leased(Duration.ofSeconds(30)))
            .build()) {
      inbox.startReceiving();
      transport.deliver(Service.QUEUE, Service.deliveries(1));
      transport.deliver(
          Service.QUEUE,
          List.of(
              Messages.delivery(
                  Messages.id(100).toString(), "cancelled", "c", "shop", "{\"n\":1}")));
      inbox.startProcessing();
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> database.count("SELECT count(*) FROM inbox_processed") == 2);
    }
  }

  /** A store that is away for a moment, once, right after the claimer has leased something. */
  private static InboxStore awayAfterTheFirstLease(TestDatabase database) {
    AtomicBoolean leased = new AtomicBoolean();
    AtomicBoolean wasAway = new AtomicBoolean();
    InboxStore store = JdbiInboxStore.builder(database.url()).notifications(false).build();
    return proxy(
        InboxStore.class,
        store,
        (method, result) -> {
          boolean byClaimer = Thread.currentThread().getName().startsWith("inbox-claimer");
          if (!method.equals("begin") || !byClaimer) {
            return result;
          }
          WorkTransaction transaction = (WorkTransaction) result;
          if (leased.get() && wasAway.compareAndSet(false, true)) {
            transaction.close();
            throw new StoreUnavailableException("away for a moment", new IllegalStateException());
          }
          return proxy(
              WorkTransaction.class,
              transaction,
              (called, answer) -> {
                leased.compareAndSet(false, called.equals("lease"));
                return answer;
              });
        });
  }

  private interface After {
    Object then(String method, Object result);
  }

  private static <T> T proxy(Class<T> type, T target, After after) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              try {
                return after.then(method.getName(), method.invoke(target, args));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void anEffectThatTakesTooLongDiesAndTheOthersCommit() {
    TestDatabase database = TestDatabase.fresh();
    InMemoryTransport transport = InMemoryTransport.create();
    try (Inbox inbox =
        Inbox.builder()
            .store(
                JdbiInboxStore.builder(database.url())
                    .notifications(false)
                    .idleTimeout(Duration.ofSeconds(1))
                    .build())
            .transport(transport)
            .subscribe(
                Service.QUEUE,
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) ->
                                context.commitWith(
                                    transaction -> Thread.sleep(event.n() == 0 ? 1_500 : 0)))
                        .leased()
                        .pollInterval(Duration.ofMillis(50))
                        .retry(RetryPolicy.immediate(2)))
            .build()) {
      inbox.start();
      transport.deliver(Service.QUEUE, Service.deliveries(3));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  database
                      .texts("SELECT status FROM inbox ORDER BY seq")
                      .equals(List.of("dead", "processed", "processed")));
    }
  }

  @Test
  void anEffectThatLeavesItsThreadInterruptedDoesNotEndTheCommitting() {
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) ->
                                context.commitWith(
                                    transaction -> {
                                      TestDatabase.effect(
                                          transaction.unwrap(Handle.class),
                                          String.valueOf(event.n()));
                                      Thread.currentThread().interrupt();
                                    }))
                        .leased()
                        .concurrency(4)
                        .batchSize(4))
            .start()) {
      service.deliver(20);
      service.awaitAll("processed", 20);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(service.database.effects()).hasSize(20).doesNotHaveDuplicates();
    }
  }

  @Test
  void handlersDoNotRunFarAheadOfTheCommitsOfTheirEffects() {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              calls.incrementAndGet();
                              context.commitWith(transaction -> goOn.await());
                            })
                        .leased()
                        .concurrency(4)
                        .batchSize(5))
            .start()) {
      service.deliver(300);
      int most = 4 + 2 * 5; // as many as run, and two batches that wait for their commit
      await().during(Duration.ofMillis(500)).until(() -> calls.get() > 4 && calls.get() <= most);
      assertThat(service.database.count("SELECT count(lease) FROM inbox_pending"))
          .isLessThanOrEqualTo(most);
      goOn.countDown();
      service.awaitAll("processed", 300);
      assertThat(calls).hasValue(300);
    }
  }

  @Test
  void aNoteOfAnotherWorkerDoesNotBreakALease() {
    TestDatabase database = TestDatabase.fresh();
    try (JdbiInboxStore store = Messages.store(database)) {
      store.receive(Service.QUEUE, Messages.events(1));
      long sequence = database.count("SELECT seq FROM inbox_pending");
      database.execute("UPDATE inbox_pending SET crashes = 1");
      try (WorkTransaction transaction = store.begin(Service.QUEUE)) {
        List<ClaimedMessage> messages = transaction.claim(Messages.TYPES, 1);
        assertThat(transaction.lease(messages, Duration.ofMinutes(1))).hasSize(1);
        transaction.commit(List.of());
      }
      store.clearCrashRisk(List.of(sequence));
      try (WorkTransaction transaction = store.begin(Service.QUEUE)) {
        assertThat(transaction.reclaim(List.of(sequence))).isEmpty();
        assertThat(transaction.claim(Messages.TYPES, 1)).isEmpty();
      }
    }
  }

  @Test
  void theCommittingEndsAfterTheCloseThoughAnEffectSwallowsItsInterrupt() throws Exception {
    AtomicReference<Thread> committing = new AtomicReference<>();
    CountDownLatch closed = new CountDownLatch(1);
    Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) ->
                                context.commitWith(
                                    transaction -> {
                                      committing.set(Thread.currentThread());
                                      waitUninterruptibly(closed);
                                      TestDatabase.effect(
                                          transaction.unwrap(Handle.class), "too late");
                                    }))
                        .leased())
            .start();
    service.deliver(1);
    await().until(() -> committing.get() != null);
    service.inbox.close(Duration.ofMillis(100));
    closed.countDown();
    await().atMost(Duration.ofSeconds(30)).until(() -> !committing.get().isAlive());
  }

  /** As careless code waits. */
  private static void waitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // swallowed
      }
    }
  }

  @Test
  void closingCommitsOrGivesBackWhatHasEnded() {
    Service service =
        Service.subscribing(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              calls.incrementAndGet();
                              context.commitWith(
                                  transaction ->
                                      transaction
                                          .unwrap(Handle.class)
                                          .execute("SELECT pg_sleep(0.03)"));
                            })
                        .leased()
                        .concurrency(20)
                        .batchSize(1))
            .start();
    service.deliver(20);
    await().until(() -> calls.get() == 20);
    service.inbox.close(Duration.ofMillis(30));
    assertThat(service.database.count("SELECT count(lease) FROM inbox_pending")).isZero();
  }
}
