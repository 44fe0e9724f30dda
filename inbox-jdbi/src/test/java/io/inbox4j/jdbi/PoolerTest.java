package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import io.inbox4j.Inbox;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.notify.NotifyListener;
import io.inbox4j.memory.InMemoryTransport;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.testkit.PgBouncer;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.engine.Logged;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** A service whose transactions get a session of the server each, which others had before. */
@Tag("slow")
@Timeout(120)
class PoolerTest {

  private static final Retention WEEK = Retention.days(7);

  private static PgBouncer pooler;

  private final String direct = PostgresServer.shared().newDatabase();
  private final Jdbi database = Jdbi.create(direct);
  private final String pooled = pooled(pooler, direct);
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void start() {
    assumeTrue(PgBouncer.isPossible(), "this machine has no pgbouncer");
    pooler = PgBouncer.start(PostgresServer.shared().port());
  }

  @AfterAll
  static void stop() {
    if (pooler != null) {
      pooler.close();
    }
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable it : open) {
      it.close();
    }
  }

  /** As people write it, with named statements. */
  static String pooled(PgBouncer pooler, String direct) {
    return pooler.jdbcUrl(direct).replace("&prepareThreshold=0", "");
  }

  private <T extends AutoCloseable> T opened(T it) {
    open.add(0, it);
    return it;
  }

  private long count(String query) {
    return database.withHandle(it -> it.select(query).mapTo(Long.class).one());
  }

  private void execute(String sql) {
    database.useHandle(it -> it.execute(sql));
  }

  /** Everybody's sessions are used by others, too. */
  private void disturb() {
    Jdbi others = Jdbi.create(pooler.jdbcUrl(direct));
    List<Handle> handles = Stream.generate(others::open).limit(3).toList();
    handles.forEach(it -> it.begin().execute("SELECT 1"));
    handles.forEach(it -> it.rollback().close());
  }

  @Test
  void everyWayOfHandlingWorks() {
    JdbiInboxStore store = JdbiInboxStore.builder(pooled).build();
    InMemoryTransport transport = InMemoryTransport.create();
    store.open();
    execute("CREATE TABLE effects (name text NOT NULL)");
    Inbox inbox =
        opened(
            Inbox.builder()
                .store(store)
                .transport(transport)
                .defaults(it -> it.pollInterval(Duration.ofMillis(50)).batchSize(10))
                .subscribe("plain", it -> it.on(Created.class, Service::effect))
                .subscribe("inline", it -> it.on(Created.class, Service::effect).inline())
                .subscribe(
                    "ordered",
                    it ->
                        it.on(Created.class, Service::effect)
                            .orderedBy(IntegrationEvent.class, e -> "one key"))
                .subscribe(
                    "leased",
                    it ->
                        it.on(
                                Created.class,
                                (event, context) ->
                                    context.commitWith(
                                        tx -> TestDatabase.effect(tx.unwrap(Handle.class), "x")))
                            .leased(Duration.ofSeconds(10)))
                .build());
    inbox.start();
    List<String> queues = List.of("plain", "inline", "ordered", "leased");
    for (int i = 0; i < 3; i++) {
      queues.forEach(queue -> transport.deliver(queue, Service.deliveries(100)));
      disturb();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> count("SELECT count(*) FROM inbox_processed") == 400);
    assertThat(count("SELECT count(*) FROM effects")).isEqualTo(400);
    assertThat(count("SELECT count(*) FROM inbox_messages")).isEqualTo(400);
    assertThat(count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).isZero();
  }

  @Test
  void whatAHandlerWouldLeaveForOthersIsRefusedByWhatToUseInstead() {
    JdbiInboxStore store = opened(JdbiInboxStore.connect(pooled));
    store.open();
    for (String sql :
        List.of(
            "SET app.tenant = 'left'",
            "SELECT set_config('app.tenant', 'left', false)",
            "SELECT pg_advisory_lock(4711)",
            "CREATE TEMP TABLE mine (n int)",
            "LISTEN mine")) {
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        transaction.savepoint();
        Handle handle = transaction.unwrap(Handle.class);
        assertThatThrownBy(() -> handle.execute(sql))
            .as(sql)
            .hasStackTraceContaining("SET LOCAL")
            .hasStackTraceContaining("ON COMMIT DROP")
            .hasStackTraceContaining("pg_advisory_xact_lock");
        transaction.rollbackToSavepoint();
        transaction.commit(List.of());
      }
    }
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      transaction.savepoint();
      Connection connection = transaction.unwrap(Connection.class);
      assertThatThrownBy(() -> connection.setSchema("mine")).hasMessageContaining("SET LOCAL");
      Handle handle = transaction.unwrap(Handle.class);
      handle.execute("SET LOCAL app.tenant = 'mine'");
      handle.execute("CREATE TEMP TABLE mine (n int) ON COMMIT DROP");
      handle.execute("INSERT INTO pg_temp.mine VALUES (1)");
      handle.execute("SELECT pg_advisory_xact_lock(4711)");
      handle.execute("DO $$ BEGIN END $$");
      transaction.releaseSavepoint();
      transaction.commit(List.of());
    }
    assertThat(count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).isZero();
    assertThat(count("SELECT count(*) FROM pg_class WHERE relname = 'mine'")).isZero();
    Jdbi.create(pooler.jdbcUrl(direct))
        .useHandle(
            it ->
                assertThat(
                        it.select("SELECT coalesce(current_setting('app.tenant', true), '')")
                            .mapTo(String.class)
                            .one())
                    .isEmpty());
  }

  @Test
  void oldMessagesAreRemovedMoreThanOnceAndNoLockStays() {
    JdbiInboxStore store = opened(JdbiInboxStore.connect(pooled));
    store.open();
    store.declareRetention(Set.of(Messages.ENDPOINT), WEEK);
    for (int i = 0; i < 3; i++) {
      store.receive(Messages.ENDPOINT, Messages.events(50));
      Messages.settle(store, 50, Outcome.Processed::new);
      execute("UPDATE inbox_messages SET received_on_utc = now() - interval '8 days'");
      execute("UPDATE inbox_processed SET processed_on_utc = now() - interval '8 days'");
      assertThat(
              store.retain(
                  soFar -> {
                    disturb();
                    return true;
                  }))
          .satisfies(it -> assertThat(it.ran()).isTrue())
          .satisfies(it -> assertThat(it.removed()).isEqualTo(50));
    }
    assertThat(count("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")).isZero();
  }

  private WorkStore.Watch watch(JdbiInboxStore store, List<String> heard) {
    return opened(store.watch(heard::add, () -> {}));
  }

  @Test
  void whatIsStoredElsewhereIsHeardOnAConnectionOfItsOwn() {
    JdbiInboxStore listening =
        opened(JdbiInboxStore.builder(pooled).notificationsFrom(direct).build());
    JdbiInboxStore storing = opened(JdbiInboxStore.connect(pooled));
    listening.open();
    List<String> heard = new CopyOnWriteArrayList<>();
    watch(listening, heard);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                count("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN _inbox.%'")
                    == 1);
    storing.receive(Messages.ENDPOINT, Messages.events(1));
    await().until(() -> heard.contains(Messages.ENDPOINT));
  }

  @Test
  void withoutOneItIsSaidOnceThatWorkersPollAndNoSessionListens() {
    try (Logged logged = Logged.by(NotifyListener.class.getName())) {
      JdbiInboxStore store = opened(JdbiInboxStore.connect(pooled));
      store.open();
      watch(store, new ArrayList<>());
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> String.join("", logged.lines(Level.WARN)).contains("notificationsFrom"));
      store.receive(Messages.ENDPOINT, Messages.events(1));
    }
    Jdbi others = Jdbi.create(pooler.jdbcUrl(direct));
    assertThat(
            others.<List<String>, RuntimeException>withHandle(
                it ->
                    it.select("SELECT * FROM pg_listening_channels()").mapTo(String.class).list()))
        .isEmpty();
  }

  @Test
  void aConnectionForNotificationsThatLeadsToAnotherDatabaseIsNoticed() {
    try (Logged logged = Logged.by(NotifyListener.class.getName())) {
      String another = PostgresServer.shared().newDatabase();
      JdbiInboxStore store =
          opened(JdbiInboxStore.builder(direct).notificationsFrom(another).build());
      store.open();
      watch(store, new ArrayList<>());
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> String.join("", logged.lines(Level.WARN)).contains("another database"));
    }
  }

  @Test
  void aPoolerThatLeavesEveryConnectionItsSessionIsListenedThrough() {
    try (PgBouncer patient = PgBouncer.startInSessionMode(PostgresServer.shared().port())) {
      JdbiInboxStore listening = JdbiInboxStore.connect(pooled(patient, direct));
      listening.open();
      List<String> heard = new CopyOnWriteArrayList<>();
      try (WorkStore.Watch watch = listening.watch(heard::add, () -> {})) {
        assertThat(watch).isNotNull();
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () ->
                    count(
                            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN _inbox.%'")
                        == 1);
        try (JdbiInboxStore storing = JdbiInboxStore.connect(pooled)) {
          storing.receive(Messages.ENDPOINT, Messages.events(1));
        }
        await().until(() -> heard.contains(Messages.ENDPOINT));
      } finally {
        listening.close();
      }
    }
  }

  @Test
  void aUsersOwnConnectionIsGivenBackAsItWas() throws Exception {
    try (Connection own = PostgresServer.shared().dataSource(pooled).getConnection()) {
      PoolerAwareConnections sessions = new PoolerAwareConnections(() -> own);
      PGConnection postgres = own.unwrap(PGConnection.class);
      int before = postgres.getPrepareThreshold();
      sessions.openConnection();
      assertThat(postgres.getPrepareThreshold()).isZero();
      sessions.closeConnection(own);
      assertThat(before).isPositive();
    }
    String chosen = pooled + "&prepareThreshold=3";
    try (Connection own = PostgresServer.shared().dataSource(chosen).getConnection()) {
      new PoolerAwareConnections(() -> own).openConnection();
      assertThat(own.unwrap(PGConnection.class).getPrepareThreshold()).isEqualTo(3);
    }
  }

  @Test
  void theManyStatementsOfAConnectionHaveNoNames() {
    JdbiInboxStore store = opened(JdbiInboxStore.builder(pooled).poolSize(2).build());
    store.open();
    for (int n = 0; n < 20; n++) {
      store.receive(Messages.ENDPOINT, List.of(Messages.event(n)));
      disturb();
      assertThat(Messages.settle(store, 1, Outcome.Processed::new)).hasSize(1);
    }
    Jdbi others = Jdbi.create(pooler.jdbcUrl(direct));
    assertThat(
            others.<Long, RuntimeException>withHandle(
                it ->
                    it.select("SELECT count(*) FROM pg_prepared_statements")
                        .mapTo(Long.class)
                        .one()))
        .isZero();
  }
}
