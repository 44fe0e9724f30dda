package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.handler.EventContext;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run outside any transaction. */
@Tag("slow")
@Timeout(60)
class LeasedTest {

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
}
