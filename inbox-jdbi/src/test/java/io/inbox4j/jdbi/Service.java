package io.inbox4j.jdbi;

import static org.awaitility.Awaitility.await;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.testkit.engine.Heard;
import io.inbox4j.transport.Delivery;
import io.inbox4j.transport.ValidatedDelivery;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** A service with an inbox on one queue, a database of its own, and somebody who listens. */
final class Service implements AutoCloseable {

  static final String QUEUE = Messages.ENDPOINT;

  final TestDatabase database;
  final Heard heard = new Heard();
  final InMemoryTransport transport = InMemoryTransport.create();
  final Inbox inbox;

  private Service(TestDatabase database, Consumer<InboxBuilder> configuration) {
    this.database = database;
    JdbiInboxStore store = JdbiInboxStore.builder(database.url()).notifications(false).build();
    InboxBuilder builder =
        Inbox.builder()
            .store(store)
            .transport(transport)
            .listener(heard)
            .defaults(all -> all.concurrency(1).pollInterval(Duration.ofMillis(50)));
    try {
      configuration.accept(builder);
      this.inbox = builder.build();
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** A service on a new database that is not started. */
  static Service with(Consumer<InboxBuilder> configuration) {
    return new Service(TestDatabase.fresh(), configuration);
  }

  /** Another service on the same database. */
  static Service with(TestDatabase database, Consumer<InboxBuilder> configuration) {
    return new Service(database, configuration);
  }

  /** A service on a new database with this subscription, not started. */
  static Service subscribing(Consumer<SubscriptionBuilder> subscription) {
    return with(builder -> builder.subscribe(QUEUE, subscription));
  }

  /** A service on a new database with this handler, started. */
  static Service handling(EventHandler<Created> handler) {
    return subscribing(queue -> queue.on(Created.class, handler)).start();
  }

  Service start() {
    inbox.start();
    return this;
  }

  /** Has the event's number as an effect. */
  static void effect(Created event, EventContext context) {
    TestDatabase.effect(context.unwrap(Handle.class), String.valueOf(event.n()));
  }

  /** Delivers this many messages, from 0 on, in one batch. */
  void deliver(int count) {
    transport.deliver(QUEUE, deliveries(count));
  }

  static List<Delivery> deliveries(int count) {
    return IntStream.range(0, count).mapToObj(n -> Messages.event(n).delivery()).toList();
  }

  /** Stores this many messages as another process would, before any worker looks. */
  static void store(TestDatabase database, int count) {
    try (JdbiInboxStore store = Messages.store(database)) {
      List<ValidatedDelivery> events = Messages.events(count);
      store.receive(QUEUE, events);
    }
  }

  void awaitAll(String status, int count) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> database.count("SELECT count(*) FROM inbox WHERE status = ?", status) == count);
  }

  /** The status and attempts of every message, in order. */
  List<String> statuses() {
    return database.texts("SELECT status || ' ' || attempts FROM inbox ORDER BY seq");
  }

  @Override
  public void close() {
    inbox.close(Duration.ofSeconds(10));
  }
}
