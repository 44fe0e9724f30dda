package io.inbox4j.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.publish.WhenUnroutable;
import io.inbox4j.retry.RetryPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that handlers and others publish. */
@Timeout(60)
class PublishingTest {

  private static final String BILLING = "billing";

  /** What the service publishes, and receives from itself. */
  record Billed(@Nullable UUID messageId, int n, @Nullable BigDecimal amount)
      implements IntegrationEvent {

    static Billed of(int n) {
      return new Billed(null, n, null);
    }
  }

  /** An event that arrived, and what came with it. */
  private record Arrival(
      Billed event,
      UUID id,
      @Nullable String correlationId,
      Map<String, @Nullable Object> headers) {}

  private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

  private void arrived(Billed event, EventContext context) {
    arrivals.add(
        new Arrival(event, context.messageId(), context.correlationId(), context.headers()));
  }

  private static void mode(SubscriptionBuilder queue, String mode) {
    switch (mode) {
      case "leased" -> queue.leased();
      case "inline" -> queue.inline();
      default -> {}
    }
  }

  /** A service that handles orders like this, and receives what is published about them. */
  private Service service(String mode, EventHandler<Created> handler) {
    return Service.with(
            builder ->
                builder
                    .subscribe(
                        Service.QUEUE,
                        queue ->
                            mode(
                                queue.on(Created.class, handler).retry(RetryPolicy.immediate(3)),
                                mode))
                    .subscribe(BILLING, Billed.class, this::arrived))
        .start();
  }

  private void awaitArrivals(int count) {
    await().atMost(Duration.ofSeconds(30)).until(() -> arrivals.size() >= count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatAHandlerPublishesReachesWhoeverSubscribesToItsType(String mode) {
    try (Service service =
        service(mode, (event, context) -> context.publish(Billed.of(event.n())))) {
      service.deliver(20);
      awaitArrivals(20);
      assertThat(arrivals.stream().map(it -> it.event().n()))
          .containsExactlyInAnyOrder(
              0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatAFailedAttemptPublishedIsNotSent(String mode) {
    Map<Integer, UUID> failed = new ConcurrentHashMap<>();
    try (Service service =
        service(
            mode,
            (event, context) -> {
              UUID id = context.publish(Billed.of(event.n()));
              if (failed.putIfAbsent(event.n(), id) == null) {
                throw new IllegalStateException("once");
              }
              context.publish(Billed.of(100 + event.n()));
            })) {
      service.deliver(3);
      awaitArrivals(6);
      service.awaitAll("processed", 9);
      assertThat(arrivals.stream().map(it -> it.event().n()))
          .containsExactlyInAnyOrder(0, 1, 2, 100, 101, 102);
      assertThat(service.heard.of("duplicate")).isEmpty();
      arrivals.stream()
          .filter(it -> it.event().n() < 100)
          .forEach(it -> assertThat(it.id()).isEqualTo(failed.get(it.event().n())));
    }
  }

  @Test
  void everythingOfADeadMessageIsUndone() {
    try (Service service =
        service(
            "transactional",
            (event, context) -> {
              context.publish(Billed.of(event.n()));
              if (event.n() == 1) {
                throw new IllegalStateException("always");
              }
            })) {
      service.deliver(3);
      awaitArrivals(2);
      service.awaitAll("dead", 1);
      assertThat(arrivals.stream().map(it -> it.event().n())).containsExactlyInAnyOrder(0, 2);
    }
  }

  @Test
  void anEventThatHasAnIdKeepsIt() {
    UUID id = MessageIds.of("bill", 7);
    try (Service service =
        service("transactional", (event, context) -> context.publish(new Billed(id, 7, null)))) {
      service.deliver(1);
      awaitArrivals(1);
      assertThat(arrivals).singleElement().extracting(Arrival::id).isEqualTo(id);
    }
  }

  @Test
  void anEventWithoutAnIdIsReadWithTheOneThatItGot() {
    AtomicReference<UUID> returned = new AtomicReference<>();
    try (Service service =
        service("transactional", (event, context) -> returned.set(context.publish(Billed.of(7))))) {
      service.deliver(1);
      awaitArrivals(1);
      assertThat(arrivals)
          .singleElement()
          .satisfies(
              it -> {
                assertThat(it.id()).isEqualTo(returned.get());
                assertThat(it.event().messageId()).isEqualTo(returned.get());
              });
    }
  }

  @Test
  void aBatchHandlerPublishesForEachOfItsEvents() {
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .subscribe(
                            Service.QUEUE,
                            queue ->
                                queue.onBatch(
                                    Created.class,
                                    (events, context) ->
                                        events.forEach(
                                            it -> {
                                              context.of(it).publish(Billed.of(it.n()));
                                              context.of(it).publish(Billed.of(100 + it.n()));
                                            })))
                        .subscribe(BILLING, Billed.class, this::arrived))
            .start()) {
      service.deliver(5);
      awaitArrivals(10);
      assertThat(arrivals.stream().map(Arrival::id)).doesNotHaveDuplicates();
    }
  }

  @Test
  void aMessageSaysWhatItFollowsFrom() {
    try (Service service =
        service(
            "transactional",
            (event, context) ->
                context.publish(
                    Billed.of(event.n()), PublishOptions.none().header("region", "north")))) {
      service.deliver(1);
      awaitArrivals(1);
      assertThat(arrivals)
          .singleElement()
          .satisfies(
              it -> {
                assertThat(it.correlationId()).isEqualTo("correlation");
                assertThat(it.headers())
                    .containsEntry("x-causation-id", Messages.id(0).toString())
                    .containsEntry("region", "north");
              });
    }
  }

  @Test
  void aCommandGoesToOneQueue() {
    Queue<Integer> commands = new ConcurrentLinkedQueue<>();
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .subscribe(
                            Service.QUEUE,
                            Created.class,
                            (event, context) -> context.send("commands", Billed.of(event.n())))
                        .subscribe(BILLING, Billed.class, this::arrived)
                        .subscribe(
                            "commands", Billed.class, (event, context) -> commands.add(event.n())))
            .start()) {
      service.deliver(2);
      await().until(() -> commands.size() == 2);
      assertThat(arrivals).isEmpty();
    }
  }

  @Test
  void aDelayedEventIsSentLater() {
    Duration delay = Duration.ofMillis(700);
    AtomicReference<Instant> published = new AtomicReference<>();
    AtomicReference<Instant> arrived = new AtomicReference<>();
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .subscribe(
                            Service.QUEUE,
                            Created.class,
                            (event, context) -> {
                              published.set(Instant.now());
                              context.publish(Billed.of(1), PublishOptions.none().delay(delay));
                            })
                        .subscribe(
                            BILLING, Billed.class, (event, context) -> arrived.set(Instant.now())))
            .start()) {
      service.deliver(1);
      await().until(() -> arrived.get() != null);
      assertThat(Duration.between(published.get(), arrived.get())).isGreaterThanOrEqualTo(delay);
    }
  }

  @Test
  void aScheduledEventCanBeCancelledAndRescheduled() {
    PublishOptions tomorrow = PublishOptions.none().delay(Duration.ofDays(1));
    try (Service service = service("transactional", (event, context) -> {})) {
      UUID cancelled = service.inbox.outbox().publish(Billed.of(1), tomorrow);
      UUID advanced = service.inbox.outbox().publish(Billed.of(2), tomorrow);
      assertThat(service.inbox.outbox().status().scheduled()).isEqualTo(2);
      assertThat(service.inbox.outbox().cancel(cancelled)).isTrue();
      assertThat(service.inbox.outbox().cancel(cancelled)).isFalse();
      assertThat(service.inbox.outbox().reschedule(advanced, Instant.now())).isTrue();
      awaitArrivals(1);
      assertThat(arrivals).singleElement().extracting(Arrival::id).isEqualTo(advanced);
      assertThat(service.inbox.outbox().status().scheduled()).isZero();
    }
  }

  @Test
  void decimalsArriveAsTheyWere() {
    BigDecimal amount = new BigDecimal("12345678901234567890.100");
    try (Service service =
        service(
            "transactional", (event, context) -> context.publish(new Billed(null, 1, amount)))) {
      service.deliver(1);
      awaitArrivals(1);
      assertThat(arrivals.element().event().amount()).isEqualTo(amount);
    }
  }

  /** An event that no receiver could read. */
  record Measured(@Nullable UUID messageId, double value) implements IntegrationEvent {}

  @Test
  void aNumberThatNobodyCanReadIsRefused() {
    AtomicReference<Throwable> refused = new AtomicReference<>();
    try (Service service =
        service(
            "transactional",
            (event, context) -> {
              try {
                context.publish(new Measured(null, Double.NaN));
              } catch (IllegalArgumentException e) {
                refused.set(e);
              }
            })) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThat(refused.get()).hasMessageContaining("NaN").hasMessageContaining("finite");
    }
  }

  /** Events that no receiver could read. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Measurements(@Nullable UUID messageId, double[] values) implements IntegrationEvent {}

  record Exact(@Nullable UUID messageId, BigDecimal value) implements IntegrationEvent {}

  record Nested(@Nullable UUID messageId, Object value) implements IntegrationEvent {}

  enum Signal implements IntegrationEvent {
    STOP;

    @Override
    public UUID messageId() {
      return Messages.id(0);
    }
  }

  static Stream<Arguments> unreadable() {
    Object deep = "bottom";
    for (int i = 0; i < 100; i++) {
      deep = List.of(deep);
    }
    return Stream.of(
        Arguments.of(new Measurements(null, new double[] {1, Double.NaN}), "it is NaN"),
        Arguments.of(new Exact(null, new BigDecimal("1E+2000")), "an exponent of at most 3 digits"),
        Arguments.of(new Exact(null, new BigDecimal("1" + "0".repeat(150))), "at most 100"),
        Arguments.of(new Nested(null, Map.of("a", Float.POSITIVE_INFINITY)), "it is Infinity"),
        Arguments.of(new Nested(null, deep), "at most 100 levels"),
        Arguments.of(Signal.STOP, "is no object"));
  }

  @ParameterizedTest
  @MethodSource("unreadable")
  void whatNobodyCanReadIsRefusedWhereItIsPublished(IntegrationEvent event, String why) {
    try (Service service = service("transactional", (it, context) -> {})) {
      assertThatThrownBy(() -> service.inbox.outbox().publish(event))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(event.getClass().getName())
          .hasMessageContaining(why);
    }
  }

  /**
   * A lot is sent before the handler has returned; what was undone must not be, and nothing else.
   */
  @Test
  void aLotThatIsPublishedSharesTheFateOfItsMessage() {
    int many = 3_000;
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .subscribe(
                            Service.QUEUE,
                            queue ->
                                queue
                                    .on(
                                        Created.class,
                                        (event, context) -> {
                                          for (int i = 0; i < many; i++) {
                                            context.publish(Billed.of(event.n()));
                                          }
                                          if (event.n() == 2) {
                                            throw new IllegalStateException("always");
                                          }
                                        })
                                    .retry(RetryPolicy.never()))
                        .subscribe(BILLING, Billed.class, this::arrived))
            .start()) {
      service.deliver(4);
      awaitArrivals(3 * many);
      service.awaitAll("dead", 1);
      Map<Integer, Long> counts =
          arrivals.stream()
              .collect(Collectors.groupingBy(it -> it.event().n(), Collectors.counting()));
      assertThat(counts).isEqualTo(Map.of(0, 3_000L, 1, 3_000L, 3, 3_000L));
    }
  }

  @Test
  void aContextPublishesNothingAfterItsHandlerHasReturned() {
    AtomicReference<EventContext> kept = new AtomicReference<>();
    try (Service service = service("transactional", (event, context) -> kept.set(context))) {
      service.deliver(1);
      service.awaitAll("processed", 1);
      assertThatThrownBy(() -> kept.get().publish(Billed.of(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has returned");
    }
  }

  @Test
  void anEventCanBePublishedOutsideOfHandlers() {
    try (Service service = service("transactional", (event, context) -> {})) {
      UUID id = service.inbox.outbox().publish(Billed.of(4));
      awaitArrivals(1);
      assertThat(arrivals).singleElement().extracting(Arrival::id).isEqualTo(id);
      await().until(() -> service.inbox.outbox().status().waiting() == 0);
    }
  }

  @Test
  void anEventThatNobodySubscribesToIsKept() {
    try (Service service =
        Service.with(
                builder ->
                    builder.subscribe(
                        Service.QUEUE,
                        Created.class,
                        (event, context) -> context.publish(Billed.of(event.n()))))
            .start()) {
      service.deliver(2);
      await().until(() -> service.inbox.outbox().status().dead() == 2);
      assertThat(service.heard.of("undeliverable"))
          .hasSize(2)
          .allMatch(line -> line.contains("billed") && line.endsWith("kept"));
      assertThat(service.inbox.outbox().status().waiting()).isZero();
    }
  }

  @Test
  void anEventThatNobodySubscribesToIsDroppedIfThatWasChosen() {
    try (Service service =
        Service.with(
                builder ->
                    builder
                        .whenUnroutable(WhenUnroutable.DROP)
                        .subscribe(
                            Service.QUEUE,
                            Created.class,
                            (event, context) -> context.publish(Billed.of(event.n()))))
            .start()) {
      service.deliver(2);
      await().until(() -> service.heard.of("undeliverable").size() == 2);
      await().until(() -> service.inbox.outbox().status().waiting() == 0);
      assertThat(service.inbox.outbox().status().dead()).isZero();
    }
  }

  @Test
  void eventsOfAKeyArriveInTheOrderInWhichTheyWerePublished() {
    AtomicInteger next = new AtomicInteger();
    try (Service service =
        service(
            "transactional",
            (event, context) -> {
              for (int i = 0; i < 100; i++) {
                context.publish(
                    Billed.of(next.getAndIncrement()), PublishOptions.none().orderingKey("one"));
              }
            })) {
      service.deliver(20);
      awaitArrivals(2_000);
      List<Integer> order = arrivals.stream().map(it -> it.event().n()).toList();
      assertThat(order).isSorted();
    }
  }
}
