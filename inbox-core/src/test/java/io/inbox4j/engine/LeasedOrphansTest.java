package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leased messages that processes have died over: kept apart, and no burden to others. */
@Timeout(60)
class LeasedOrphansTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int SLOW = 0;

  private final CountDownLatch released = new CountDownLatch(1);
  private final Set<Integer> orphans = ConcurrentHashMap.newKeySet();
  private final Set<Integer> running = ConcurrentHashMap.newKeySet();
  private final AtomicInteger mostOrphans = new AtomicInteger();
  private final AtomicBoolean besideOthers = new AtomicBoolean();

  @Test
  void aOrphanAndOthersAreHandledWhileASlowHandlerRuns() {
    try (Service service = service(this::awaitIfSlow, queue -> queue.concurrency(10))) {
      service.deliver(1);
      await().atMost(PATIENCE).until(() -> running.contains(SLOW));
      deliverOrphans(service, 1, 3);
      deliver(service, 3, 40);
      service.awaitAll("processed", 39);
      assertThat(running).containsExactly(SLOW);
      released.countDown();
      service.awaitAll("processed", 40);
    }
  }

  @Test
  void orphansThatWaitForEachOtherHoldUpNobodyElse() {
    try (Service service = service(this::awaitIfSlow, queue -> queue.concurrency(4).batchSize(4))) {
      deliverOrphans(service, 0, 12);
      await().atMost(PATIENCE).until(() -> running.contains(SLOW));
      deliver(service, 12, 32);
      service.awaitAll("processed", 20);
      assertThat(running).containsExactly(SLOW);
      released.countDown();
      service.awaitAll("processed", 32);
      assertThat(mostOrphans).hasValue(1);
    }
  }

  @Test
  void aOrphanIsKeptApartFromOtherOrphansButNotFromTheRest() {
    CountDownLatch beside = new CountDownLatch(1);
    EventHandler<Created> handler =
        (event, context) -> {
          if (event.n() == 0) {
            beside.await(); // for a message that nothing is held against
          } else if (event.n() >= 10) {
            beside.countDown();
          }
        };
    try (Service service = service(handler, queue -> queue.concurrency(10))) {
      deliverOrphans(service, 0, 10);
      deliver(service, 10, 20);
      service.awaitAll("processed", 20);
      assertThat(mostOrphans).hasValue(1);
    }
  }

  @Test
  void aOrphanOfAKeyThatWaitsHoldsUpNoMessageWithoutOne() {
    try (Service service =
        service(
            this::awaitIfSlow,
            queue ->
                queue
                    .concurrency(4)
                    .orderedBy(Created.class, event -> event.n() < 2 ? "key" + event : null)
                    .pollInterval(Duration.ofMinutes(10)))) {
      deliverOrphans(service, 0, 2);
      await().atMost(PATIENCE).until(() -> running.contains(SLOW));
      for (int n = 2; n < 6; n++) {
        deliver(service, n, n + 1);
        service.awaitAll("processed", n - 1);
      }
      assertThat(running).containsExactly(SLOW);
      released.countDown();
      service.awaitAll("processed", 6);
    }
  }

  @Test
  void theLastAttemptIsMadeAloneAndHoldsUpOthersForAMomentOnly() {
    try (Service service =
        service(
            (event, context) -> {
              awaitIfSlow(event, context);
              if (event.n() == 1) {
                besideOthers.set(running.size() > 1);
              }
            },
            queue -> queue.concurrency(10).retry(RetryPolicy.never()))) {
      service.deliver(1);
      await().atMost(PATIENCE).until(() -> running.contains(SLOW));
      deliverOrphans(service, 1, 2);
      deliver(service, 2, 20);
      service.awaitAll("processed", 18);
      assertThat(running).containsExactly(SLOW);
      released.countDown();
      service.awaitAll("processed", 20);
      assertThat(besideOthers).isFalse();
    }
  }

  private void awaitIfSlow(Created event, EventContext context) throws InterruptedException {
    if (event.n() == SLOW) {
      released.await();
    }
  }

  /** A service that knows which messages it has in its handlers. */
  private Service service(EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    return Service.subscribing(
            options.andThen(
                queue ->
                    queue
                        .on(
                            Created.class,
                            (event, context) -> {
                              running.add(event.n());
                              mostOrphans.accumulateAndGet(orphansRunning(), Math::max);
                              try {
                                handler.handle(event, context);
                              } finally {
                                running.remove(event.n());
                              }
                            })
                        .leased()))
        .start();
  }

  private int orphansRunning() {
    return (int) running.stream().filter(orphans::contains).count();
  }

  private static void deliver(Service service, int from, int to) {
    service.transport.deliver(Service.QUEUE, Service.deliveries(to).subList(from, to));
  }

  /** Delivers messages that two processes have died over, as the tables say. */
  private void deliverOrphans(Service service, int from, int to) {
    service.inbox.control(Service.QUEUE).pause("test", "until they are orphans");
    deliver(service, from, to);
    for (int n = from; n < to; n++) {
      orphans.add(n);
    }
    service.makeOrphans(1);
    service.inbox.control(Service.QUEUE).resume();
  }
}
