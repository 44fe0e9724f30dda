package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.Migrations;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MigrationsTest {

  private static final String COMMAND = "JdbiInboxStore.migrate(dataSource)";
  private static final String LOCATION = "classpath:io/inbox4j/migrations";

  /** Those of this release, and two of later ones. */
  private static final List<String> SCRIPTS =
      List.of(
          "V1__create_inbox.sql",
          "V2__create_outbox.sql",
          "V3__test_quarantine.sql",
          "V4__test_pending.sql");

  private static final String APPLIED =
      "SELECT string_agg(version::text, ' ' ORDER BY version) FROM inbox_migrations";

  private final TestDatabase database = TestDatabase.empty();

  private Migrations migrations() {
    return migrations(Jdbi.create(database.dataSource()));
  }

  private static Migrations migrations(Jdbi jdbi) {
    InboxSchema schema = InboxSchema.of(null);
    return new Migrations(jdbi.setTemplateEngine(schema), schema, () -> false, SCRIPTS);
  }

  @Test
  void processesThatStartAtTheSameTimeApplyThemOnce() throws Exception {
    int processes = 8;
    ExecutorService threads = Executors.newFixedThreadPool(processes);
    CyclicBarrier barrier = new CyclicBarrier(processes);
    List<Future<?>> opening = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      Callable<Boolean> open =
          () -> {
            barrier.await();
            migrations().apply();
            return true;
          };
      opening.add(threads.submit(open));
    }
    for (Future<?> one : opening) {
      one.get();
    }
    threads.shutdown();
    assertThat(database.texts(APPLIED)).containsExactly("1 2 3 4");
  }

  @Test
  void applyingThemAgainChangesNothing() {
    JdbiInboxStore.migrate(database.dataSource());
    try (JdbiInboxStore store = Messages.store(database)) {
      store.receive(Messages.ENDPOINT, Messages.events(1));
      JdbiInboxStore.migrate(database.dataSource());
      store.open();
    }
    assertThat(database.count("SELECT count(*) FROM inbox")).isEqualTo(1);
  }

  @Test
  void aStoreThatMayNotMigrateSaysWhatCreatesTheTables() {
    JdbiInboxStore store = JdbiInboxStore.builder(database.dataSource()).migrate(false).build();
    assertThatThrownBy(store::open)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("missing")
        .hasMessageContaining(COMMAND)
        .hasMessageContaining(LOCATION);
    JdbiInboxStore.migrate(database.dataSource());
    store.open();
  }

  @Test
  void aTableThatIsDroppedLaterIsNamedWithWhatCreatesIt() {
    try (JdbiInboxStore store = Messages.store(database)) {
      database.execute("DROP TABLE inbox_pending CASCADE");
      assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, Messages.events(1)))
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("inbox_pending")
          .hasMessageContaining(COMMAND)
          .hasMessageContaining(LOCATION);
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        assertThatThrownBy(() -> transaction.claim(Messages.TYPES, 1))
            .isInstanceOf(InboxException.class)
            .hasMessageContaining("inbox_pending")
            .hasMessageContaining(COMMAND);
      }
    }
  }

  @Test
  void tablesOfANewerVersionAreAccepted() {
    JdbiInboxStore.migrate(database.dataSource());
    database.execute("INSERT INTO inbox_migrations (version, description) VALUES (99, 'later')");
    try (JdbiInboxStore store = Messages.store(database)) {
      assertThat(store.receive(Messages.ENDPOINT, Messages.events(1))).hasSize(1);
    }
  }

  @Test
  void theScriptsAreWhereFlywayLooksForThemAndNoteTheirVersionThemselves() throws Exception {
    applyThoseOfThisRelease();
    JdbiInboxStore.builder(database.dataSource()).migrate(false).build().open();
  }

  @Test
  void tablesOfAnOlderVersionAreUpgradedWithWhatIsInThem() {
    try (JdbiInboxStore store = Messages.store(database)) {
      store.receive(Messages.ENDPOINT, Messages.events(1));
      assertThatThrownBy(migrations()::check)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("have version 2, this library needs 4")
          .hasMessageContaining(COMMAND);
      migrations().apply();
      migrations().check();
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        assertThat(transaction.claim(Messages.TYPES, 10)).hasSize(1);
      }
    }
  }

  @Test
  void tablesWithoutAnOutboxGetOne() throws Exception {
    apply(SCRIPTS.get(0));
    JdbiInboxStore older = JdbiInboxStore.builder(database.dataSource()).migrate(false).build();
    older.receive(Messages.ENDPOINT, Messages.events(1));
    assertThatThrownBy(older::open)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("have version 1, this library needs 2");
    try (JdbiInboxStore store = Messages.store(database)) {
      assertThat(store.outboxStatus().waiting()).isZero();
      assertThat(Messages.settle(store, 10, Outcome.Processed::new)).hasSize(1);
    }
  }

  @Test
  void aVersionThatWasLeftOutIsAppliedLater() throws Exception {
    applyThoseOfThisRelease();
    apply(SCRIPTS.get(3));
    assertThatThrownBy(migrations()::check).hasMessageContaining("have version 2");
    migrations().apply();
    assertThat(database.texts(APPLIED)).containsExactly("1 2 3 4");
  }

  @Test
  void aRoleThatMayNotChangeTheTablesSaysWhichVersionTheyHave() throws Exception {
    applyThoseOfThisRelease();
    String schema = database.texts("SELECT current_schema()").get(0);
    String role = schema + "_reader";
    database.execute("CREATE ROLE " + role);
    database.execute("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
    database.execute("GRANT SELECT ON inbox_migrations TO " + role);
    Jdbi reader =
        Jdbi.create(
            () -> {
              var connection = database.dataSource().getConnection();
              connection.createStatement().execute("SET ROLE " + role);
              return connection;
            });
    assertThatThrownBy(migrations(reader)::apply)
        .isInstanceOf(InboxException.class)
        .hasMessageContaining("have version 2, this library needs 4, and this role may not");
  }

  @Test
  void anUpgradeWaitsForWhoUsesATableAndLetsOthersThroughMeanwhile() throws Exception {
    applyThoseOfThisRelease();
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var inUse = database.dataSource().getConnection()) {
      inUse.setAutoCommit(false);
      inUse.createStatement().execute("SELECT count(*) FROM inbox_pending");
      Future<?> upgrade = threads.submit(() -> migrations().apply());
      org.awaitility.Awaitility.await()
          .until(
              () ->
                  database.count(
                          "SELECT count(*) FROM pg_locks WHERE NOT granted"
                              + " AND relation = to_regclass('inbox_pending')")
                      > 0);
      assertThat(database.count("SELECT count(*) FROM inbox_pending")).isZero();
      assertThat(upgrade.isDone()).isFalse();
      inUse.rollback();
      upgrade.get();
    } finally {
      threads.shutdown();
    }
    assertThat(database.texts(APPLIED)).containsExactly("1 2 3 4");
  }

  @Test
  void anUpgradeHoldsNoTableWhileItWaitsForAnother() throws Exception {
    applyThoseOfThisRelease();
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var older = database.dataSource().getConnection();
        var statement = older.createStatement()) {
      older.setAutoCommit(false);
      statement.execute("LOCK TABLE inbox_pending IN ROW EXCLUSIVE MODE");
      Future<?> upgrade = threads.submit(() -> migrations().apply());
      awaitWaitingFor("inbox_pending");
      statement.execute("SET LOCAL lock_timeout = '30s'");
      statement.execute("SET LOCAL deadlock_timeout = '60s'");
      statement.execute("LOCK TABLE inbox_quarantine IN ROW EXCLUSIVE MODE");
      assertThat(upgrade.isDone()).isFalse();
      older.commit();
      upgrade.get();
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void anUpgradeThatIsTheVictimOfADeadlockIsTriedAgain() throws Exception {
    applyThoseOfThisRelease();
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var other = database.dataSource().getConnection();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SET LOCAL deadlock_timeout = '60s'");
      statement.execute("LOCK TABLE inbox_migrations IN EXCLUSIVE MODE");
      Future<?> upgrade = threads.submit(() -> migrations().apply());
      awaitWaitingFor("inbox_migrations"); // it has changed the quarantine, and is to note that
      statement.execute("SELECT count(*) FROM inbox_quarantine");
      other.rollback();
      upgrade.get();
    } finally {
      threads.shutdown();
    }
    assertThat(database.texts(APPLIED)).containsExactly("1 2 3 4");
  }

  private void awaitWaitingFor(String table) {
    org.awaitility.Awaitility.await()
        .pollInterval(java.time.Duration.ofMillis(20))
        .until(
            () ->
                database.count(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted"
                            + " AND relation = to_regclass(?)",
                        table)
                    > 0);
  }

  private void applyThoseOfThisRelease() throws Exception {
    apply(SCRIPTS.get(0));
    apply(SCRIPTS.get(1));
  }

  private void apply(String script) throws Exception {
    try (var in = getClass().getResourceAsStream("/io/inbox4j/migrations/" + script)) {
      assertThat(in).isNotNull();
      String sql = new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      database
          .jdbi()
          .useTransaction(handle -> handle.getConnection().createStatement().execute(sql));
    }
  }
}
