package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.sql.Migrations;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MigrationsTest {

  private static final String COMMAND = "JdbiInboxStore.migrate(dataSource)";
  private static final String LOCATION = "classpath:io/inbox4j/migrations";

  private final TestDatabase database = TestDatabase.empty();

  @Test
  void processesThatStartAtTheSameTimeApplyThemOnce() throws Exception {
    int processes = 8;
    ExecutorService threads = Executors.newFixedThreadPool(processes);
    CyclicBarrier barrier = new CyclicBarrier(processes);
    List<Future<?>> opening = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
      Callable<Boolean> open =
          () -> {
            barrier.await();
            store.open();
            return true;
          };
      opening.add(threads.submit(open));
    }
    for (Future<?> one : opening) {
      one.get();
    }
    threads.shutdown();
    assertThat(database.count("SELECT count(*) FROM inbox_schema"))
        .isEqualTo(Migrations.SCRIPTS.size());
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
    database.execute("INSERT INTO inbox_schema (version, description) VALUES (99, 'later')");
    try (JdbiInboxStore store = Messages.store(database)) {
      assertThat(store.receive(Messages.ENDPOINT, Messages.events(1))).hasSize(1);
    }
  }

  @Test
  void theScriptsAreWhereFlywayLooksForThemAndNoteTheirVersionThemselves() throws Exception {
    for (String script : Migrations.SCRIPTS) {
      apply(script);
    }
    JdbiInboxStore.builder(database.dataSource()).migrate(false).build().open();
  }

  @Test
  void tablesOfAnOlderVersionAreUpgradedWithWhatIsInThem() throws Exception {
    apply(Migrations.SCRIPTS.get(0));
    database.execute(
        "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)"
            + " VALUES ('%s', gen_random_uuid(), '%s', '{}', false)"
                .formatted(Messages.ENDPOINT, Messages.TYPE));
    database.execute(
        "INSERT INTO inbox_pending (seq, endpoint, type) SELECT seq, endpoint, type FROM inbox_messages");
    assertThatThrownBy(JdbiInboxStore.builder(database.dataSource()).migrate(false).build()::open)
        .hasMessageContaining("have version 1");
    try (JdbiInboxStore store = Messages.store(database);
        WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      assertThat(transaction.claim(Messages.TYPES, 10)).hasSize(1);
    }
  }

  @Test
  void whatWasProcessedBeforeTheUpgradeBecomesAPartitionWithAnEnd() throws Exception {
    for (String script : Migrations.SCRIPTS.subList(0, 3)) {
      apply(script);
    }
    database.execute(
        "INSERT INTO inbox_messages (endpoint, message_id, type, body, redelivered)"
            + " VALUES ('%s', gen_random_uuid(), '%s', '{}', false)"
                .formatted(Messages.ENDPOINT, Messages.TYPE));
    database.execute("INSERT INTO inbox_processed SELECT seq, 1, now() FROM inbox_messages");
    try (JdbiInboxStore store = Messages.store(database)) {
      assertThat(database.count("SELECT count(*) FROM inbox_processed_before")).isEqualTo(1);
      assertThat(database.count("SELECT count(*) FROM inbox_processed_default")).isZero();
      assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
      store.receive(Messages.ENDPOINT, Messages.events(1));
      Messages.settle(store, 1, Outcome.Processed::new);
      store.retain(Set.of(Messages.ENDPOINT), Retention.days(7), false, soFar -> true);
    }
    assertThat(database.texts("SELECT status FROM inbox")).hasSize(2);
    assertThat(
            database.count(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'inbox_processed'::regclass"))
        .isEqualTo(9);
  }

  @Test
  void aVersionThatWasLeftOutIsAppliedLater() {
    JdbiInboxStore.migrate(database.dataSource());
    database.execute("DROP INDEX inbox_pending_crashed");
    database.execute("DELETE FROM inbox_schema WHERE version = 3");
    assertThatThrownBy(JdbiInboxStore.builder(database.dataSource()).migrate(false).build()::open)
        .hasMessageContaining("have version 2");
    JdbiInboxStore.migrate(database.dataSource());
    assertThat(database.count("SELECT count(*) FROM inbox_schema WHERE version = 3")).isEqualTo(1);
  }

  @Test
  void anUpgradeWaitsForWhoUsesATableAndLetsOthersThroughMeanwhile() throws Exception {
    apply(Migrations.SCRIPTS.get(0));
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var inUse = database.dataSource().getConnection()) {
      inUse.setAutoCommit(false);
      inUse.createStatement().execute("SELECT count(*) FROM inbox_pending");
      Future<?> upgrade = threads.submit(() -> JdbiInboxStore.migrate(database.dataSource()));
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
    assertThat(database.count("SELECT count(*) FROM inbox_schema"))
        .isEqualTo(Migrations.SCRIPTS.size());
  }

  @Test
  void anUpgradeHoldsNoTableWhileItWaitsForAnother() throws Exception {
    for (String script : Migrations.SCRIPTS.subList(0, 4)) {
      apply(script);
    }
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var older = database.dataSource().getConnection();
        var statement = older.createStatement()) {
      older.setAutoCommit(false);
      statement.execute("LOCK TABLE inbox_pending IN ROW EXCLUSIVE MODE");
      Future<?> upgrade = threads.submit(() -> JdbiInboxStore.migrate(database.dataSource()));
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
    for (String script : Migrations.SCRIPTS.subList(0, 4)) {
      apply(script);
    }
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (var other = database.dataSource().getConnection();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SET LOCAL deadlock_timeout = '60s'");
      statement.execute("LOCK TABLE inbox_schema IN EXCLUSIVE MODE");
      Future<?> upgrade = threads.submit(() -> JdbiInboxStore.migrate(database.dataSource()));
      awaitWaitingFor("inbox_schema"); // it has changed the quarantine, and is to note that
      statement.execute("SELECT count(*) FROM inbox_quarantine");
      other.rollback();
      upgrade.get();
    } finally {
      threads.shutdown();
    }
    assertThat(database.count("SELECT count(*) FROM inbox_schema"))
        .isEqualTo(Migrations.SCRIPTS.size());
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
