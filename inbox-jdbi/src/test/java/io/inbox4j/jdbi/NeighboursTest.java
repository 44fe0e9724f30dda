package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.SubscriptionBuilder;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.DeadLetter;
import io.inbox4j.handler.EventContext.Effect;
import io.inbox4j.retry.RetryPolicy;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.testkit.engine.Logged;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages that are handled one after the other have to do with each other. */
@Tag("slow")
@Timeout(60)
class NeighboursTest {

  private static final int COUNT = 8;

  private final Map<Integer, Integer> calls = new ConcurrentHashMap<>();

  private static void mode(SubscriptionBuilder queue, String mode) {
    switch (mode) {
      case "leased" -> queue.leased();
      case "inline" -> queue.inline();
      default -> {}
    }
  }

  /** A service whose messages do this, each when it is handled. */
  private Service service(
      String mode, IntFunction<Effect> effects, Consumer<SubscriptionBuilder> options) {
    return Service.subscribing(
        queue -> {
          queue
              .on(
                  Created.class,
                  (event, context) -> {
                    calls.merge(event.n(), 1, Integer::sum);
                    context.commitWith(effects.apply(event.n()));
                  })
              .retry(RetryPolicy.never());
          mode(queue, mode);
          options.accept(queue);
        });
  }

  /**
   * Something that a message does, and how the next one would find it.
   *
   * @param found an expression that is null or empty if there is no trace
   */
  private record Trace(String left, String found) {}

  private static final String LOCKED =
      "(SELECT 'held' FROM pg_locks WHERE locktype = 'advisory' AND objid = %d"
          + " AND pid = pg_backend_pid() LIMIT 1)";

  private static final List<Trace> OF_TRANSACTION =
      List.of(
          new Trace("SET LOCAL app.one = 'left'", "current_setting('app.one', true)"),
          new Trace("SELECT pg_advisory_xact_lock(4711)", LOCKED.formatted(4711)),
          new Trace(
              "CREATE TEMP TABLE two (n int) ON COMMIT DROP", "to_regclass('pg_temp.two')::text"));

  private static final List<Trace> OF_SESSION =
      List.of(
          new Trace("CREATE TEMP TABLE three (n int)", "to_regclass('pg_temp.three')::text"),
          new Trace("SELECT pg_advisory_lock(4712)", LOCKED.formatted(4712)),
          new Trace("LISTEN four", "(SELECT string_agg(c, ',') FROM pg_listening_channels() AS c)"),
          new Trace(
              "PREPARE five AS SELECT 1",
              "(SELECT name FROM pg_prepared_statements WHERE name = 'five')"),
          new Trace(
              "DECLARE six CURSOR WITH HOLD FOR SELECT 1",
              "(SELECT name FROM pg_cursors WHERE name = 'six')"));

  private static final List<Trace> OF_SETTINGS =
      List.of(
          new Trace("SET app.seven = 'left'", "current_setting('app.seven', true)"),
          new Trace(
              "SELECT set_config('app.eight', 'left', false)",
              "current_setting('app.eight', true)"));

  private static Stream<Arguments> tracesInAllModes() {
    return Stream.of("transactional", "inline", "leased")
        .flatMap(
            mode ->
                Stream.of(OF_TRANSACTION, OF_SESSION, OF_SETTINGS)
                    .map(traces -> Arguments.of(mode, traces)));
  }

  @ParameterizedTest
  @MethodSource("tracesInAllModes")
  void anIsolatedMessageFindsNoTraceOfAnother(String mode, List<Trace> traces) {
    Effect effect =
        transaction -> {
          Handle handle = transaction.unwrap(Handle.class);
          for (Trace trace : traces) {
            handle.execute(
                "INSERT INTO effects SELECT coalesce(nullif(%s, ''), 'clean')"
                    .formatted(trace.found));
          }
          traces.forEach(trace -> handle.execute(trace.left));
        };
    try (Service service = service(mode, n -> effect, SubscriptionBuilder::isolated)) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT);
      assertThat(service.database.effects()).hasSize(COUNT * traces.size()).containsOnly("clean");
      assertThat(service.database.count("SELECT count(DISTINCT xmin::text) FROM inbox_processed"))
          .as("transactions")
          .isEqualTo(COUNT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatFailsBesideOthersIsTriedAloneBeforeItDies(String mode) {
    try (Service service =
        service(
            mode,
            n ->
                transaction -> {
                  Handle handle = transaction.unwrap(Handle.class);
                  handle.execute("CREATE TEMP TABLE mine (n int) ON COMMIT DROP");
                  TestDatabase.effect(handle, String.valueOf(n));
                },
            queue -> {})) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT);
      assertThat(service.statuses()).containsOnly("processed 1");
      assertThat(service.database.effects())
          .containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"transactional", "inline", "leased"})
  void whatFailsAloneTooIsDead(String mode) {
    try (Service service =
        service(
            mode,
            n ->
                transaction -> {
                  TestDatabase.effect(transaction.unwrap(Handle.class), String.valueOf(n));
                  if (n == 3) {
                    throw DeadLetter.because("no such customer");
                  }
                },
            queue -> {})) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT - 1);
      service.awaitAll("dead", 1);
      assertThat(service.statuses().get(3)).isEqualTo("dead 1");
      assertThat(service.database.effects()).hasSize(COUNT - 1).doesNotContain("3");
      assertThat(service.heard.of("dead")).hasSize(1);
    }
  }

  @Test
  void whatFailsBeforeAnyOtherHasRunIsNotTriedTwice() {
    TestDatabase database = TestDatabase.fresh();
    Service.store(database, COUNT);
    try (Service service =
        Service.with(
            database,
            inbox ->
                inbox.subscribe(
                    Service.QUEUE,
                    queue ->
                        queue
                            .on(
                                Created.class,
                                (event, context) -> {
                                  calls.merge(event.n(), 1, Integer::sum);
                                  Service.effect(event, context);
                                  throw DeadLetter.because("all of them");
                                })
                            .batchSize(COUNT)))) {
      service.start();
      service.awaitAll("dead", COUNT);
      assertThat(calls.values()).hasSize(COUNT).containsOnly(1);
    }
  }

  @Test
  void theOrderOfAKeyIsKeptWhileItsMessageIsTriedAlone() {
    try (Service service =
        Service.subscribing(
            queue ->
                queue
                    .on(
                        Created.class,
                        (event, context) -> {
                          Handle handle = context.unwrap(Handle.class);
                          handle.execute("CREATE TEMP TABLE mine (n int) ON COMMIT DROP");
                          TestDatabase.effect(handle, String.valueOf(event.n()));
                        })
                    .orderedBy(IntegrationEvent.class, event -> "a")
                    .concurrency(2)
                    .retry(RetryPolicy.never()))) {
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT);
      assertThat(service.database.texts("SELECT name FROM effects ORDER BY ctid"))
          .containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
    }
  }

  @Test
  void whatAHandlerLeavesInItsSessionIsNotFoundByWhoeverGetsTheConnectionNext() {
    TestDatabase database = TestDatabase.fresh();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setMaximumPoolSize(1);
      pool.setPoolName("of-neighbours");
      pool.setConnectionInitSql("SET app.mine = 'of the pool'");
      try (Logged logged = Logged.by("io.inbox4j");
          Logged hikari = Logged.by("com.zaxxer");
          JdbiInboxStore store = JdbiInboxStore.create(pool)) {
        for (String sql :
            List.of(
                "SET app.mine = 'of a handler'",
                "CREATE TEMP TABLE mine (n int)",
                "PREPARE mine AS SELECT 1",
                "SELECT pg_advisory_lock(4711)",
                "SELECT set_config('app.mine', 'of a handler', false) WHERE true",
                "SELECT 1 AS n INTO pg_temp.mine",
                "CREATE TABLE \"pg_temp\".mine (n int)",
                "EXPLAIN ANALYZE CREATE TEMP TABLE mine AS SELECT 1 AS n",
                "DO $$ BEGIN PERFORM pg_advisory_lock(4711); END $$")) {
          for (boolean commits : new boolean[] {true, false}) {
            try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
              transaction.savepoint();
              transaction.unwrap(Handle.class).execute(sql);
              transaction.releaseSavepoint();
              if (commits) {
                transaction.commit(List.of());
              }
            }
            assertThat(sessionOf(pool)).as(sql).containsExactly("of the pool", "0", "0", "0");
          }
        }
        assertThat(logged.lines(Level.WARN)).filteredOn(it -> it.contains("SET LOCAL")).hasSize(1);
        assertThat(hikari.lines(Level.WARN)).noneMatch(it -> it.contains(pool.getPoolName()));
      }
    }
  }

  private static List<String> sessionOf(HikariDataSource pool) {
    try (Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
      return List.of(
          handle.select("SELECT current_setting('app.mine')").mapTo(String.class).one(),
          count(handle, "pg_class WHERE relname = 'mine'"),
          count(handle, "pg_prepared_statements WHERE name = 'mine'"),
          count(handle, "pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"));
    }
  }

  private static String count(Handle handle, String rows) {
    return handle.select("SELECT count(*) FROM " + rows).mapTo(String.class).one();
  }

  private static Stream<Arguments> identitiesInAllModes() {
    return Stream.of("transactional", "inline", "leased")
        .flatMap(
            mode ->
                Stream.of(
                        "SET LOCAL ROLE tenant_of_neighbours",
                        "SET LOCAL search_path = pg_catalog",
                        "SELECT set_config('role', 'tenant_of_neighbours', true)",
                        "DO $$ BEGIN SET LOCAL search_path = pg_catalog; END $$")
                    .map(sql -> Arguments.of(mode, sql)));
  }

  @ParameterizedTest
  @MethodSource("identitiesInAllModes")
  void theRoleAndTheSearchPathOfAHandlerAreNotTheStores(String mode, String sql) {
    try (Service service =
        service(
            mode,
            n ->
                transaction -> {
                  Handle handle = transaction.unwrap(Handle.class);
                  TestDatabase.effect(handle, String.valueOf(n));
                  if (n % 4 == 3) {
                    handle.execute(sql);
                  }
                },
            SubscriptionBuilder::isolated)) {
      service.database.execute(
          """
          DO $$ BEGIN CREATE ROLE tenant_of_neighbours;
          EXCEPTION WHEN duplicate_object THEN NULL; END $$
          """);
      service.start().deliver(COUNT);
      service.awaitAll("processed", COUNT);
      assertThat(service.database.effects())
          .containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
      assertThat(calls.values()).hasSize(COUNT).containsOnly(1);
    }
  }

  @Test
  void theRoleAndTheSearchPathAreThoseOfThePoolAgainBeforeTheNextMark() {
    TestDatabase database = TestDatabase.fresh();
    String path = database.one(String.class, "SELECT current_schema()") + ", \"odd 'one'\"";
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setConnectionInitSql("SET ROLE NONE; SET search_path = " + path);
      try (JdbiInboxStore store = JdbiInboxStore.create(pool);
          WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        Handle handle = transaction.unwrap(Handle.class);
        String current = "SELECT current_user || ' ' || current_setting('search_path')";
        transaction.savepoint();
        String before = handle.select(current).mapTo(String.class).one();
        handle.execute("SET LOCAL ROLE pg_monitor");
        handle.execute("SET LOCAL search_path = pg_catalog");
        transaction.releaseSavepoint();
        transaction.savepoint();
        assertThat(handle.select(current).mapTo(String.class).one())
            .isEqualTo(before)
            .endsWith(path);
        handle.execute("SELECT set_config('search_path', 'pg_catalog', true)");
        transaction.releaseSavepoint();
        transaction.commit(List.of());
      }
    }
  }

  @Test
  void aHandlerThatLeavesNothingBehindKeepsItsConnection() {
    TestDatabase database = TestDatabase.fresh();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setMaximumPoolSize(1);
      try (JdbiInboxStore store = JdbiInboxStore.create(pool)) {
        assertThat(Stream.generate(() -> backend(store)).limit(5).distinct().toList()).hasSize(1);
      }
    }
  }

  private static int backend(JdbiInboxStore store) {
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      transaction.savepoint();
      Handle handle = transaction.unwrap(Handle.class);
      handle.execute("SET LOCAL statement_timeout = '5s'");
      handle.execute("CREATE TEMP TABLE mine (n int) ON COMMIT DROP");
      int pid = handle.select("SELECT pg_backend_pid()").mapTo(Integer.class).one();
      transaction.releaseSavepoint();
      transaction.commit(List.of());
      return pid;
    }
  }
}
