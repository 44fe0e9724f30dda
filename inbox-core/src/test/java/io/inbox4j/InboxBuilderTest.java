package io.inbox4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.error.InboxException;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventFormat;
import io.inbox4j.format.JacksonFormat;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.receive.OrderingKeySource;
import io.inbox4j.internal.receive.ReceiveLimits;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.transport.TopicNames;
import io.inbox4j.transport.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class InboxBuilderTest {

  record Created(UUID messageId) implements IntegrationEvent {}

  record Cancelled(UUID messageId) implements IntegrationEvent {}

  private static final EventHandler<IntegrationEvent> NOTHING = (event, context) -> {};

  @Test
  void puttingAnInboxTogetherOpensNothing() {
    try (Inbox inbox = withStore().subscribe("orders", Created.class, NOTHING).build()) {
      assertThat(inbox).isNotNull();
    }
  }

  @Test
  void aStoreIsRequired() {
    assertRefused(
        () -> Inbox.builder().subscribe("orders", Created.class, NOTHING).build(),
        "no store given",
        ".store(JdbiInboxStore.create(dataSource))");
  }

  @Test
  void aSubscriptionIsRequiredToReceiveOrProcess() {
    Inbox inbox = withStore().transport(InMemoryTransport.create()).build();
    for (ThrowingCallable start :
        List.<ThrowingCallable>of(inbox::start, inbox::startReceiving, inbox::startProcessing)) {
      assertThatThrownBy(start)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("no queue is subscribed")
          .hasMessageContaining(".subscribe(");
    }
  }

  @Test
  void aContentTypeHasOneFormat() {
    EventFormat json = JacksonFormat.of(new JsonMapper(), "application/json");
    EventFormat none = JacksonFormat.of(new JsonMapper());
    InboxBuilder builder = withStore().subscribe("orders", Created.class, NOTHING).format(json);
    assertRefused(builder::build, "'application/json'", "JsonFormat", "JacksonFormat");
    InboxBuilder another = withStore().subscribe("orders", Created.class, NOTHING).format(none);
    assertRefused(another::build, "JacksonFormat reads no content type");
  }

  @Test
  void aQueueIsSubscribedOnce() {
    InboxBuilder builder = withStore().subscribe("orders", Created.class, NOTHING);
    assertRefused(
        () -> builder.subscribe("orders", Cancelled.class, NOTHING), "'orders'", "in one");
  }

  @Test
  void keepingTheBuilderOfASubscriptionChangesNothing() {
    SubscriptionBuilder kept =
        new SubscriptionBuilder("orders", new SubscriptionOptions.Defaults(), List.of())
            .on(Created.class, NOTHING)
            .orderedBy(Created.class, Created::messageId)
            .batchSize(100);
    EndpointConfig built = kept.build("me", TopicNames.ofDefaults());
    kept.batchSize(7).maxBodySize(1).orderedBy(Cancelled.class, Cancelled::messageId);
    assertThat(built.batchSize()).isEqualTo(100);
    assertThat(built.limits()).isEqualTo(ReceiveLimits.ofDefaults());
    assertThat(built.orderingKey())
        .isInstanceOfSatisfying(
            OrderingKeySource.InEvent.class, it -> assertThat(it.keys()).hasSize(1));
  }

  @Test
  void keepingTheBuildersChangesNothing() {
    AtomicReference<SubscriptionBuilder> kept = new AtomicReference<>();
    InboxBuilder builder =
        withStore()
            .subscribe(
                "orders",
                queue -> kept.set(queue.on(Created.class, NOTHING).topology(Topology.classic())));
    try (Inbox inbox = builder.build()) {
      kept.get().receive(Cancelled.class).topology(Topology.existing());
      builder.subscribe("payments", Created.class, NOTHING);
      assertThat(inbox.types()).isEqualTo(Map.of("orders", Set.of("created")));
      assertThat(inbox.topologies()).isEqualTo(Map.of("orders", Topology.classic()));
      try (Inbox another = builder.build()) {
        assertThat(another.types())
            .isEqualTo(Map.of("orders", Set.of("created"), "payments", Set.of("created")));
      }
      assertThat(inbox.types()).containsOnlyKeys("orders");
    }
  }

  @Test
  void theOrderingKeyIsInEventsOrInAHeader() {
    assertRefused(
        () ->
            withStore()
                .subscribe(
                    "orders",
                    queue ->
                        queue
                            .on(Created.class, NOTHING)
                            .orderedBy(Created.class, Created::messageId)
                            .orderedByHeader("customer"))
                .build(),
        "'orders' has ordering keys from events and from a header");
  }

  @Test
  void aSubscriptionNeedsEvents() {
    assertRefused(
        () -> withStore().subscribe("orders", queue -> {}).build(),
        "'orders' has no events",
        "on(…) or receive(…)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void aQueueNeedsAName(String queue) {
    assertRefused(
        () -> withStore().subscribe(queue, Created.class, NOTHING).build(),
        "the queue is '%s'".formatted(queue),
        "1 to 255 characters");
  }

  @Test
  void aQueueNameHasALimit() {
    String name = "q".repeat(256);
    assertRefused(
        () -> withStore().subscribe(name, Created.class, NOTHING).build(), name, "1 to 255");
  }

  @Test
  void aRetryPolicyOfAnEventThatIsNotSubscribedIsRefusedByWhatIs() {
    assertRefused(
        () ->
            withStore()
                .subscribe(
                    "orders",
                    queue ->
                        queue
                            .on(Created.class, NOTHING)
                            .retry(Cancelled.class, RetryPolicy.never()))
                .build(),
        Cancelled.class.getName(),
        "'orders'",
        "registered are: created (Created)");
  }

  @Test
  void anEventHasOneHandler() {
    assertRefused(
        () ->
            withStore()
                .subscribe(
                    "orders", queue -> queue.on(Created.class, NOTHING).on(Created.class, NOTHING))
                .build(),
        Created.class.getName(),
        "one handler");
  }

  @Test
  void aBindingNeedsARoutingKeyAndAnExchange() {
    assertRefused(
        () -> withStore().subscribe("orders", queue -> queue.bind("shop")).build(),
        "'orders'",
        "'shop'",
        "'#' binds everything");
    assertRefused(
        () -> withStore().subscribe("orders", queue -> queue.bind(" ", "#")).build(),
        "exchange",
        "blank");
  }

  @Test
  void aDeliveryLimitIsPositive() {
    assertRefused(() -> Topology.quorum().deliveryLimit(0), "deliveryLimit is 0", "1 or more");
  }

  private record Range(String message, Consumer<SubscriptionOptions.Defaults> option) {}

  static Stream<Range> ranges() {
    return Stream.of(
        new Range("consumers is 0; expected 1 to 64", it -> it.consumers(0)),
        new Range("consumers is 65; expected 1 to 64", it -> it.consumers(65)),
        new Range("prefetch is 0; expected 1 to 65535", it -> it.prefetch(0)),
        new Range("prefetch is 65536; expected 1 to 65535", it -> it.prefetch(65_536)),
        new Range("batchSize is 0; expected 1 to 10000", it -> it.batchSize(0)),
        new Range("batchSize is 10001; expected 1 to 10000", it -> it.batchSize(10_001)),
        new Range("concurrency is -1; expected 1 to 10000", it -> it.concurrency(-1)),
        new Range("concurrency is 10001; expected 1 to 10000", it -> it.concurrency(10_001)),
        new Range("maxBodySize is 0; expected 1 to 536870912", it -> it.maxBodySize(0)),
        new Range("maxHeaderSize is 0; expected 1 to 134217728", it -> it.maxHeaderSize(0)),
        new Range(
            "pollInterval is PT0S; expected 1 ms to 1 hour", it -> it.pollInterval(Duration.ZERO)),
        new Range(
            "pollInterval is PT-1S; expected 1 ms to 1 hour",
            it -> it.pollInterval(Duration.ofSeconds(-1))),
        new Range(
            "pollInterval is PT1H0.001S; expected 1 ms to 1 hour",
            it -> it.pollInterval(Duration.ofHours(1).plusMillis(1))),
        new Range(
            "maxLag is PT8808H; expected 1 ms to 366 days", it -> it.maxLag(Duration.ofDays(367))),
        new Range(
            "maxDelay is PT-1S; expected zero to 36,500 days",
            it -> it.maxDelay(Duration.ofSeconds(-1))));
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void anOptionOutOfRangeIsRefusedByItsValueAndTheRange(Range range) {
    assertThatThrownBy(() -> Inbox.builder().defaults(range.option))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(range.message);
  }

  @Test
  void defaultsHoldForEverySubscriptionThatSaysNothingElse() {
    SubscriptionOptions.Defaults defaults = new SubscriptionOptions.Defaults();
    defaults.batchSize(7).concurrency(3).maxBodySize(99).isolated();
    EndpointConfig endpoint =
        new SubscriptionBuilder("orders", defaults, List.of())
            .on(Created.class, NOTHING)
            .concurrency(2)
            .build("me", TopicNames.ofDefaults());
    assertThat(endpoint.batchSize()).isEqualTo(7);
    assertThat(endpoint.workers()).isEqualTo(2);
    assertThat(endpoint.limits().maxBodySize()).isEqualTo(99);
    assertThat(endpoint.isolated()).isTrue();
    assertThat(defaults.concurrency).isEqualTo(3);
  }

  @Test
  void anIsolatedMessageHasATransactionOfItsOwn() {
    SubscriptionBuilder builder =
        new SubscriptionBuilder("orders", new SubscriptionOptions.Defaults(), List.of());
    builder.on(Created.class, NOTHING).batchSize(7);
    assertThat(builder.build("me", TopicNames.ofDefaults()).transactionSize()).isEqualTo(7);
    assertThat(builder.isolated().build("me", TopicNames.ofDefaults()).transactionSize())
        .isEqualTo(1);
  }

  @Test
  void receivingNeedsATransport() {
    try (Inbox inbox = withStore().subscribe("orders", Created.class, NOTHING).build()) {
      assertThatThrownBy(inbox::startReceiving)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("no transport")
          .hasMessageContaining(".transport(…)");
      assertThatThrownBy(inbox::start)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("no transport");
    }
  }

  @Test
  void processingNeedsAHandler() {
    try (Inbox inbox =
        withStore().subscribe("orders", queue -> queue.receive(Created.class)).build()) {
      assertThatThrownBy(inbox::startProcessing)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("no subscription has a handler")
          .hasMessageContaining("created (Created)");
    }
  }

  @Test
  void aClosedInboxCannotBeStarted() {
    Inbox inbox = withStore().subscribe("orders", Created.class, NOTHING).build();
    inbox.close();
    inbox.close();
    assertThatThrownBy(inbox::startProcessing)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("closed")
        .hasMessageContaining("build a new one");
  }

  private static InboxBuilder withStore() {
    InMemoryInboxStore untouchable = InMemoryInboxStore.create();
    untouchable.crash(); // putting an inbox together opens nothing
    return Inbox.builder().store(untouchable);
  }

  private static void assertRefused(Runnable call, String... parts) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }
}
