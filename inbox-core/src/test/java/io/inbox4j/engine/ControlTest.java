package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.SubscriptionControl;
import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.Delivery;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can be changed while a subscription runs, in every mode. */
@Timeout(60)
class ControlTest {

  /** How handlers run. */
  enum Mode {
    TRANSACTIONAL,
    ORDERED,
    INLINE,
    LEASED;

    SubscriptionBuilder choose(SubscriptionBuilder queue) {
      return switch (this) {
        case TRANSACTIONAL -> queue;
        case ORDERED -> queue.orderedBy(Created.class, event -> "key " + event.n());
        case INLINE -> queue.inline();
        case LEASED -> queue.leased();
      };
    }
  }

  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private final AtomicBoolean broken = new AtomicBoolean();

  @ParameterizedTest
  @EnumSource
  void aPausedSubscriptionReceivesAndDoesNotHandleInAnyProcess(Mode mode) {
    try (Service service = counting(mode, queue -> {});
        Service other = Service.with(service.store, with(mode, queue -> {})).start()) {
      control(service).pause("anna", "the printer burns");
      service.deliver(3);
      other.transport.deliver(Service.QUEUE, Service.deliveries(5));
      await().during(Duration.ofMillis(300)).until(() -> calls.get() == 0);
      service.awaitAll("pending", 5);
      assertThat(control(other).currentPause())
          .matches(
              pause -> pause.by().equals("anna") && pause.reason().equals("the printer burns"));
      control(other).resume();
      service.awaitAll("processed", 5);
      assertThat(control(service).currentPause()).isNull();
    }
  }

  @Test
  void aPauseLastsUntilSomebodyEndsItAndTheFirstReasonStays() {
    try (Service service = counting(Mode.TRANSACTIONAL, queue -> {})) {
      control(service).pause("anna", "first");
      control(service).pause("bert", "second");
      assertThat(Objects.requireNonNull(control(service).currentPause()).by()).isEqualTo("anna");
      try (Service later =
          Service.with(service.store, with(Mode.TRANSACTIONAL, queue -> {})).start()) {
        assertThat(control(later).currentPause()).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSACTIONAL", "INLINE", "LEASED"})
  void concurrencyCanBeRaisedAndLowered(Mode mode) {
    try (Service service = counting(mode, queue -> queue.batchSize(1).concurrency(1))) {
      service.deliver(10);
      service.awaitAll("processed", 10);
      assertThat(most).hasValue(1);
      control(service).concurrency(4);
      assertThat(control(service).concurrency()).isEqualTo(4);
      deliver(service, 10, 40);
      service.awaitAll("processed", 40);
      assertThat(most).hasValueBetween(2, 4);
      control(service).concurrency(1);
      await().until(() -> running.get() == 0);
      most.set(0);
      deliver(service, 40, 50);
      service.awaitAll("processed", 50);
      assertThat(most).hasValue(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSACTIONAL", "ORDERED", "LEASED"})
  void aTypeCanHaveFewerHandlersThanTheSubscription(Mode mode) {
    AtomicInteger others = new AtomicInteger();
    try (Service service =
        counting(
            mode,
            queue ->
                queue
                    .on(Cancelled.class, (event, context) -> others.incrementAndGet())
                    .batchSize(1)
                    .concurrency(6)
                    .concurrency(Created.class, 2)
                    .orderedBy(
                        IntegrationEvent.class,
                        event -> mode == Mode.ORDERED ? event.messageId().toString() : null))) {
      service.deliver(20);
      service.transport.deliver(
          Service.QUEUE, IntStream.range(100, 120).mapToObj(ControlTest::cancelled).toList());
      service.awaitAll("processed", 40);
      assertThat(others).hasValue(20);
      assertThat(most).hasValue(2);
    }
  }

  private static Delivery cancelled(int n) {
    return Messages.delivery(
        Messages.id(n).toString(), "cancelled", "correlation", "shop", "{\"n\":1}");
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSACTIONAL", "INLINE", "LEASED"})
  void allSubscriptionsTogetherCanHaveALimit(Mode mode) {
    try (Service service =
        Service.with(
            builder -> {
              builder.maxConcurrency(2);
              with(mode, queue -> queue.batchSize(1).concurrency(4)).accept(builder);
              builder.subscribe(
                  "returns",
                  queue ->
                      mode.choose(
                          queue
                              .on(Created.class, (event, context) -> count())
                              .batchSize(1)
                              .concurrency(4)));
            })) {
      service.start().deliver(15);
      service.transport.deliver("returns", Service.deliveries(15));
      service.awaitAll("processed", 30);
      assertThat(most).hasValue(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whileMostMessagesFailTheSubscriptionRestsAndGoesOnWhenOneSucceeds(Mode mode) {
    broken.set(true);
    CircuitBreaker breaker =
        CircuitBreaker.ofDefaults().minMessages(5).pause(Duration.ofMillis(200));
    try (Service service =
        counting(
            mode,
            queue ->
                queue
                    .circuitBreaker(breaker)
                    .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxAttempts(1_000)))) {
      service.deliver(10);
      await().until(() -> !service.heard.of("circuit opened").isEmpty());
      int callsThen = calls.get();
      await()
          .during(Duration.ofMillis(600))
          .atMost(Duration.ofSeconds(5))
          .until(() -> control(service).circuit() != CircuitState.CLOSED);
      assertThat(calls.get() - callsThen).isLessThanOrEqualTo(15);
      broken.set(false);
      service.awaitAll("processed", 10);
      assertThat(service.heard.of("circuit closed")).hasSize(1);
      assertThat(control(service).circuit()).isEqualTo(CircuitState.CLOSED);
    }
  }

  @Test
  void changingTheConcurrencyStartsNobodyBeforeTheStartOrAfterTheEnd() {
    Service service = Service.with(with(Mode.TRANSACTIONAL, queue -> {}));
    service.inbox.startReceiving();
    SubscriptionControl control = control(service);
    service.deliver(1);
    control.concurrency(2);
    await().during(Duration.ofMillis(300)).until(() -> calls.get() == 0);
    service.close();
    control.concurrency(5);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("inbox-worker"));
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSACTIONAL", "LEASED"})
  void whoWaitedForTheLimitOfAllIsWokenWhenThereIsRoom(Mode mode) {
    CountDownLatch goOn = new CountDownLatch(1);
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .maxConcurrency(1)
                        .defaults(all -> all.pollInterval(Duration.ofHours(1)))
                        .subscribe(
                            Service.QUEUE,
                            queue ->
                                mode.choose(
                                    queue.on(
                                        Created.class,
                                        (event, context) -> {
                                          calls.incrementAndGet();
                                          goOn.await();
                                        })))
                        .subscribe(
                            "returns",
                            queue -> mode.choose(queue.on(Created.class, (event, context) -> {}))))
            .start()) {
      service.deliver(1);
      await().until(() -> calls.get() == 1);
      service.transport.deliver("returns", Service.deliveries(1));
      await().during(Duration.ofMillis(300)).until(() -> service.heard.of("processed").isEmpty());
      goOn.countDown();
      service.awaitAll("processed", 2);
    }
  }

  @Test
  void aQueueThatIsNotSubscribedCannotBeControlled() {
    try (Service service = counting(Mode.TRANSACTIONAL, queue -> {})) {
      assertThatThrownBy(() -> service.inbox.control("invoices"))
          .isInstanceOf(InboxException.class)
          .hasMessage("'invoices' is not subscribed by this inbox; it subscribes: orders");
      assertThatThrownBy(() -> control(service).concurrency(0))
          .hasMessage("the concurrency is 0; expected 1 to 10,000");
    }
  }

  private static SubscriptionControl control(Service service) {
    return service.inbox.control(Service.QUEUE);
  }

  private static void deliver(Service service, int from, int to) {
    service.transport.deliver(Service.QUEUE, Service.deliveries(to).subList(from, to));
  }

  /** A service whose handler counts how often it runs, and how many at once. */
  private Service counting(Mode mode, Consumer<SubscriptionBuilder> options) {
    return Service.with(with(mode, options)).start();
  }

  private Consumer<InboxBuilder> with(Mode mode, Consumer<SubscriptionBuilder> options) {
    return builder ->
        builder.subscribe(
            Service.QUEUE,
            queue ->
                options.accept(mode.choose(queue.on(Created.class, (event, context) -> count()))));
  }

  private void count() throws InterruptedException {
    calls.incrementAndGet();
    most.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      Thread.sleep(10);
      if (broken.get()) {
        throw new IllegalStateException("broken");
      }
    } finally {
      running.decrementAndGet();
    }
  }
}
