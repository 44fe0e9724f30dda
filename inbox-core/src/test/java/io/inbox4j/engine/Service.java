package io.inbox4j.engine;

import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.memory.InMemoryInboxStore;
import io.inbox4j.memory.InMemoryMessage;
import io.inbox4j.memory.InMemoryTransaction;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.store.StoreResult;
import io.inbox4j.testkit.engine.Heard;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A service with an inbox on one queue, in memory, and somebody who listens. */
final class Service implements AutoCloseable {

  static final String QUEUE = Messages.ENDPOINT;

  final InMemoryInboxStore store;
  final Heard heard = new Heard();
  final InMemoryTransport transport = InMemoryTransport.create();
  final Inbox inbox;

  private Service(InMemoryInboxStore store, Consumer<InboxBuilder> configuration) {
    this.store = store;
    InboxBuilder builder =
        Inbox.builder()
            .store(store)
            .transport(transport)
            .listener(heard)
            .defaults(all -> all.concurrency(1).pollInterval(Duration.ofMillis(50)));
    configuration.accept(builder);
    this.inbox = builder.build();
  }

  /** A service on a new store that is not started. */
  static Service with(Consumer<InboxBuilder> configuration) {
    return new Service(InMemoryInboxStore.create(), configuration);
  }

  /** Another service on the same data. */
  static Service with(InMemoryInboxStore store, Consumer<InboxBuilder> configuration) {
    return new Service(store.sibling(), configuration);
  }

  /** A service on a new store with this subscription, not started. */
  static Service subscribing(Consumer<SubscriptionBuilder> subscription) {
    return with(builder -> builder.subscribe(QUEUE, subscription));
  }

  /** A service on a new store with this handler, started. */
  static Service handling(EventHandler<Created> handler) {
    return subscribing(queue -> queue.on(Created.class, handler)).start();
  }

  Service start() {
    inbox.start();
    return this;
  }

  /** Has the event's number as an effect. */
  static void effect(Created event, EventContext context) {
    effect(context, String.valueOf(event.n()));
  }

  static void effect(EventTransaction transaction, String name) {
    transaction.unwrap(InMemoryTransaction.class).record(name);
  }

  /** Delivers this many messages, from 0 on, in one batch. */
  void deliver(int count) {
    transport.deliver(QUEUE, deliveries(count));
  }

  static List<Delivery> deliveries(int count) {
    return Messages.deliveries(count);
  }

  /** Stores this many messages as another process would, before any worker looks. */
  static void store(InMemoryInboxStore store, int count) {
    List<ValidatedDelivery> events =
        IntStream.range(0, count)
            .<ValidatedDelivery>mapToObj(
                n ->
                    new ValidatedDelivery.Event(
                        deliveries(count).get(n), null, Messages.id(n), "created"))
            .toList();
    List<StoreResult> results = store.receive(QUEUE, events);
    if (!results.stream().allMatch(StoreResult.STORED::equals)) {
      throw new AssertionError("not all are new: " + results);
    }
  }

  void awaitAll(String status, int count) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> store.messages().stream().filter(it -> is(it, status)).count() == count);
  }

  private static boolean is(InMemoryMessage message, String status) {
    return statusOf(message).equals(status);
  }

  private static String statusOf(InMemoryMessage message) {
    return switch (message.status()) {
      case PENDING -> message.attempts() > 0 ? "retrying" : "pending";
      case DEAD -> "dead";
      case PROCESSED, DISCARDED -> message.status().name().toLowerCase(Locale.ROOT);
    };
  }

  /** The status and attempts of every message, in order. */
  List<String> statuses() {
    return store.messages().stream().map(it -> statusOf(it) + " " + it.attempts()).toList();
  }

  /** The names of all effects, sorted. */
  List<String> effects() {
    return store.effects().stream().sorted().toList();
  }

  /** The errors of dead messages, in order. */
  List<String> errors() {
    return store.listDead(MessageFilter.all(), 1_000).stream().map(DeadMessage::error).toList();
  }

  List<String> quarantineDetails() {
    return store.listQuarantined(MessageFilter.all(), 0, 1_000).stream()
        .map(QuarantinedMessage::detail)
        .toList();
  }

  /** As if processes had died over all that is pending and not in flight, so many times. */
  void makeOrphans(int crashes) {
    store
        .listPending(MessageFilter.all(), 1_000)
        .forEach(
            message -> {
              for (int i = 0; i < crashes; i++) {
                store.markCrashRiskAlone(message.sequence(), Duration.ZERO);
              }
            });
  }

  @Override
  public void close() {
    inbox.close(Duration.ofSeconds(10));
  }
}
