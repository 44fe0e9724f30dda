package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.Inbox;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.handler.EventHandler;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.testkit.engine.Heard;
import io.inbox4j.transport.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers that run in the transaction that stores their message. */
@Timeout(60)
class InlineTest {

  private static final String SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE pid = %d";

  @Test
  void itIsStoredAndHandledInOneTransaction() {
    try (Service service =
        receiving(
            (event, context) -> {
              Service.effect(event, context);
              context
                  .unwrap(Handle.class)
                  .execute("UPDATE effects SET name = name || ' ' || pg_current_xact_id()");
            },
            queue -> {})) {
      service.deliver(1);
      assertThat(
              service.database.count(
                  "SELECT count(*) FROM effects, inbox_messages m"
                      + " WHERE effects.name = '0 ' || m.xmin::text"))
          .isEqualTo(1);
    }
  }

  @Test
  void noTransactionWaitsForAnotherThatStoresTheSameMessage() {
    AtomicLong waiting = new AtomicLong();
    try (Service service =
        receiving(
            (event, context) -> {
              Service.effect(event, context);
              Thread.sleep(100); // time for others to run into what this one has stored
              waiting.addAndGet(
                  context
                      .unwrap(Handle.class)
                      .createQuery(
                          "SELECT count(*) FROM pg_stat_activity"
                              + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                      .mapTo(Long.class)
                      .one());
            },
            queue -> queue.concurrency(4).isolated())) {
      List<Delivery> two = Service.deliveries(2);
      service.transport.deliver(
          Service.QUEUE, List.of(two.get(0), two.get(1), two.get(1), two.get(0)));
      assertThat(waiting).hasValue(0);
      assertThat(service.statuses()).containsExactly("processed 1", "processed 1");
      assertThat(service.heard.of("duplicate")).hasSize(2);
    }
  }

  @Test
  void aTransactionThatTheDatabaseRefusesIsRepairedWithoutHarmToThoseBesideIt() {
    try (Service service = receiving(Service::effect, queue -> queue.concurrency(4).isolated())) {
      service.database.execute(
          "ALTER TABLE inbox_messages ADD CHECK (message_id <> '%s')".formatted(Messages.id(7)));
      service.deliver(20);
      assertThat(service.database.effects())
          .hasSize(19)
          .doesNotContain("7")
          .doesNotHaveDuplicates();
      assertThat(service.statuses()).hasSize(19).containsOnly("processed 1");
      assertThat(service.database.count("SELECT count(*) FROM inbox_quarantine")).isEqualTo(1);
    }
  }

  @Test
  void whatOneOfSeveralTransactionsCouldNotStoreIsOfferedAgainWithTheRest() {
    try (Service service = receiving(Service::effect, queue -> queue.concurrency(4).isolated())) {
      service.database.execute(
          """
          CREATE FUNCTION be_away() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            RAISE EXCEPTION 'shutting down' USING ERRCODE = '57P01';
          END $$
          """);
      service.database.execute(
          "CREATE TRIGGER away BEFORE INSERT ON inbox_messages FOR EACH ROW WHEN (NEW.message_id = '%s') EXECUTE FUNCTION be_away()"
              .formatted(Messages.id(7)));
      assertThatThrownBy(() -> service.deliver(20)).isInstanceOf(StoreUnavailableException.class);
      assertThat(service.database.effects()).doesNotContain("7").doesNotHaveDuplicates();
      service.database.execute("DROP TRIGGER away ON inbox_messages");
      service.deliver(20);
      assertThat(service.database.effects()).hasSize(20).doesNotHaveDuplicates();
      assertThat(service.statuses()).hasSize(20).containsOnly("processed 1");
      assertThat(service.heard.of("processed")).as("what listeners are told").hasSize(20);
    }
  }

  @Test
  void withFewerConnectionsThanTransactionsAtOnceNothingIsOfferedAgain() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(TestDatabase.fresh().dataSource());
    config.setMaximumPoolSize(2);
    config.setConnectionTimeout(400);
    Heard heard = new Heard();
    InMemoryTransport transport = InMemoryTransport.create();
    try (HikariDataSource pool = new HikariDataSource(config);
        Inbox inbox =
            Inbox.builder()
                .store(JdbiInboxStore.builder(pool).notifications(false).build())
                .transport(transport)
                .listener(heard)
                .subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(Created.class, (event, context) -> Thread.sleep(500))
                            .inline()
                            .isolated()
                            .concurrency(4))
                .build()) {
      inbox.startReceiving();
      transport.deliver(Service.QUEUE, Service.deliveries(12));
      assertThat(heard.of("received")).hasSize(12);
      assertThat(heard.of("processed")).hasSize(12);
    }
  }

  @Test
  void aSlowHandlerDoesNotMakeLongTransactions() {
    Queue<String> transactions = new ConcurrentLinkedQueue<>();
    try (Service service =
        receiving(
            (event, context) -> {
              Thread.sleep(30);
              transactions.add(
                  context
                      .unwrap(Handle.class)
                      .createQuery("SELECT pg_current_xact_id()::text")
                      .mapTo(String.class)
                      .one());
            },
            queue -> {})) {
      service.deliver(20);
      assertThat(transactions.stream().distinct()).hasSizeGreaterThan(8);
      assertThat(service.statuses()).hasSize(20).containsOnly("processed 1");
    }
  }

  @Test
  void aHandlerThatOutlastsItsTransactionLeavesTheMessageToTheProcessor() {
    AtomicReference<TestDatabase> database = new AtomicReference<>();
    try (Service service =
        receiving(
            (event, context) -> {
              Handle handle = context.unwrap(Handle.class);
              handle.execute("SET LOCAL idle_in_transaction_session_timeout = 50");
              int session =
                  handle.createQuery("SELECT pg_backend_pid()").mapTo(Integer.class).one();
              Service.effect(event, context);
              await().until(() -> database.get().count(SESSIONS.formatted(session)) == 0);
            },
            queue -> {})) {
      database.set(service.database);
      service.deliver(1);
      assertThat(service.statuses()).containsExactly("pending 0");
      assertThat(service.database.effects()).isEmpty();
    }
  }

  /** A service that only receives. */
  private static Service receiving(
      EventHandler<Created> handler, Consumer<SubscriptionBuilder> options) {
    Service service =
        Service.subscribing(
            queue ->
                options.accept(
                    queue.on(Created.class, handler).inline().pollInterval(Duration.ofMillis(20))));
    service.inbox.startReceiving();
    return service;
  }
}
