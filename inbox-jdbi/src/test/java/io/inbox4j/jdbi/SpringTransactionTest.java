package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.error.InboxException;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Retention;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls inside a transaction that Spring began on the thread, with pools of both kinds. */
@Tag("slow")
@ParameterizedClass(name = "auto-commit of the pool: {0}")
@ValueSource(booleans = {true, false})
@Timeout(60)
class SpringTransactionTest {

  private static final MessageFilter ALL = MessageFilter.all();

  private static final TestDatabase DATABASE = TestDatabase.fresh();

  private final HikariDataSource pool;
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transactions;
  private final JdbiInboxStore store;

  SpringTransactionTest(boolean autoCommit) {
    DATABASE.execute(
        """
        TRUNCATE inbox_messages, inbox_pending, inbox_processed, inbox_dead, inbox_quarantine,
                 inbox_interventions, inbox_paused, inbox_retention_policy, outbox_messages,
                 outbox_scheduled, effects
        """);
    pool = pool(DATABASE, autoCommit);
    jdbc = new JdbcTemplate(pool);
    transactions = new TransactionTemplate(new DataSourceTransactionManager(pool));
    store = JdbiInboxStore.create(new TransactionAwareDataSourceProxy(pool));
    store.open();
  }

  private static HikariDataSource pool(TestDatabase database, boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setAutoCommit(autoCommit);
    config.setMaximumPoolSize(3);
    return new HikariDataSource(config);
  }

  @AfterEach
  void close() {
    store.close();
    pool.close();
  }

  @Test
  void aMigrationLeavesTheCallersSearchPath() {
    String before = jdbc.queryForObject("SHOW search_path", String.class);
    transactions.executeWithoutResult(
        transaction -> {
          JdbiInboxStore.migrate(new TransactionAwareDataSourceProxy(pool), "spring_inbox");
          assertThat(jdbc.queryForObject("SHOW search_path", String.class)).isEqualTo(before);
          transaction.setRollbackOnly();
        });
  }

  /** A call, and a query whose count it changes. */
  record Change(Consumer<JdbiInboxStore> call, String count) {}

  static Stream<Named<Change>> changes() {
    return Stream.of(
        change("receive", it -> receive(it, Messages.event(9)), "inbox_messages"),
        change(
            "receive with something to put aside",
            it -> receive(it, Messages.event(9), Messages.rejected("odd", "odd")),
            "inbox_quarantine"),
        change("replay dead", it -> it.replayDead(ALL, "ada", 0, 9), "inbox_dead"),
        change("discard dead", it -> it.discardDead(ALL, "ada", 0, 9), "inbox_interventions"),
        change("expedite", it -> it.expeditePending(ALL, "ada", 0, 9), "inbox_interventions"),
        change("discard pending", it -> it.discardPending(ALL, "ada", 0, 9), "inbox_pending"),
        change(
            "discard rejected", it -> it.discardQuarantined(ALL, "ada", 0, 9), "inbox_quarantine"),
        change(
            "replay rejected",
            it -> it.replayQuarantined(ALL, "ada", 0, 9, rejected -> Messages.event(8)),
            "inbox_quarantine"),
        change("pause", it -> it.pause(Messages.ENDPOINT, "ada", "lunch"), "inbox_paused"),
        change("resume", it -> it.resume("other"), "inbox_paused"),
        change(
            "declare retention",
            it -> it.declareRetention(Set.of("orders"), Retention.days(7)),
            "inbox_retention_policy"),
        change(
            "publish",
            it -> it.publish(List.of(StoredOutgoing.now(Outgoing.keyed(1, "key")))),
            "outbox_messages"),
        change("cancel", it -> it.cancelScheduled(Messages.id(2)), "outbox_scheduled"),
        change("process", it -> Messages.settle(it, 9, Outcome.Processed::new), "inbox_processed"),
        change("bury", it -> Messages.settle(it, 9, n -> new Outcome.Dead(n, "no")), "inbox_dead"));
  }

  private static Named<Change> change(String name, Consumer<JdbiInboxStore> call, String table) {
    return Named.of(name, new Change(call, "SELECT count(*) FROM " + table));
  }

  private static void receive(JdbiInboxStore store, ValidatedDelivery... arrivals) {
    store.receive(Messages.ENDPOINT, List.of(arrivals));
  }

  /** A message that is due, one that is not, one that is dead, a quarantined one, and a pause. */
  private void populate() {
    receive(store, Messages.event(3));
    Messages.settle(store, 1, n -> new Outcome.Retry(n, Duration.ofHours(1), "later"));
    receive(store, Messages.event(1));
    Messages.settle(store, 1, n -> new Outcome.Dead(n, "no"));
    receive(store, Messages.event(2), Messages.rejected("unknown", "not known"));
    store.pause("other", "ada", "lunch");
    store.publish(List.of(new StoredOutgoing(Outgoing.message(2), Duration.ofHours(1), null)));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aCallIsUndoneAndCommittedWithTheTransactionOfTheCaller(Change change) {
    populate();
    long before = DATABASE.count(change.count);
    transactions.executeWithoutResult(
        status -> {
          change.call.accept(store);
          jdbc.update("INSERT INTO effects VALUES ('undone')");
          assertThat(jdbc.queryForObject(change.count, Long.class)).isNotEqualTo(before);
          status.setRollbackOnly();
        });
    assertThat(DATABASE.count(change.count)).isEqualTo(before);
    assertThat(DATABASE.effects()).isEmpty();
    transactions.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO effects VALUES ('before the call')");
          Map<String, String> settings = settings();
          change.call.accept(store);
          assertThat(settings()).isEqualTo(settings);
          jdbc.update("INSERT INTO effects VALUES ('then')");
          assertThat(DATABASE.count(change.count)).as("what others see").isEqualTo(before);
          assertThat(DATABASE.effects()).as("what others see").isEmpty();
        });
    assertThat(DATABASE.count(change.count)).isNotEqualTo(before);
    assertThat(DATABASE.effects()).containsExactly("before the call", "then");
  }

  private Map<String, String> settings() {
    return jdbc
        .query(
            "SELECT name, setting FROM pg_settings",
            (row, n) -> Map.entry(row.getString(1), row.getString(2)))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  @Test
  void aCallThatFailsLeavesTheTransactionOfTheCallerAsItWas() {
    ValidatedDelivery refused = Messages.event(1, "refused");
    DATABASE.execute("ALTER TABLE inbox_messages ADD CHECK (body <> 'refused') NOT VALID");
    transactions.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO effects VALUES ('before')");
          assertThatThrownBy(() -> receive(store, refused))
              .isInstanceOf(InboxException.class)
              .hasMessageContaining("violates check constraint");
          assertThatThrownBy(() -> receive(store, refused, Messages.rejected("a", "b")))
              .isInstanceOf(InboxException.class)
              .hasMessageContaining("violates check constraint");
          jdbc.update("INSERT INTO effects VALUES ('then')");
        });
    assertThat(DATABASE.effects()).containsExactly("before", "then");
    assertThat(DATABASE.count("SELECT count(*) FROM inbox_quarantine")).isZero();
  }

  @Test
  void aTransactionForWorkThatIsNotCommittedUndoesOnlyItself() {
    receive(store, Messages.event(1));
    transactions.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO effects VALUES ('of the caller')");
          try (WorkTransaction work = store.begin(Messages.ENDPOINT)) {
            assertThat(work.claim(Messages.TYPES, 1)).hasSize(1);
            work.savepoint();
            TestDatabase.effect(work.unwrap(Handle.class), "undone");
          }
        });
    assertThat(DATABASE.effects()).containsExactly("of the caller");
    assertThat(DATABASE.count("SELECT count(*) FROM inbox_pending")).isEqualTo(1);
  }

  @Test
  void workersHereHearOfWhatACallerStoresWhenItIsCommitted() throws Exception {
    CountDownLatch listening = new CountDownLatch(1);
    CountDownLatch heard = new CountDownLatch(1);
    try (WorkStore.Watch watch =
        store.watch(
            endpoint -> {
              if (DATABASE.count("SELECT count(*) FROM inbox_pending") == 1) {
                heard.countDown();
              }
            },
            listening::countDown)) {
      assertThat(listening.await(30, TimeUnit.SECONDS)).isTrue();
      transactions.executeWithoutResult(status -> receive(store, Messages.event(1)));
      assertThat(heard.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theOutboxIsNotReadInsideATransaction() {
    store.publish(List.of(StoredOutgoing.now(Outgoing.message(1))));
    try (OutboxReader reader = store.openOutbox()) {
      transactions.executeWithoutResult(
          status ->
              assertThatThrownBy(() -> reader.next(10, 1_000))
                  .isInstanceOf(InboxException.class)
                  .hasMessageContaining("outside"));
      assertThat(reader.next(10, 1_000)).hasSize(1);
    }
  }

  @Test
  void whatIsPublishedOnTheConnectionOfTheTransactionIsCommittedWithIt() {
    TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(pool);
    List<StoredOutgoing> messages = List.of(StoredOutgoing.now(Outgoing.message(1)));
    for (boolean commit : List.of(false, true)) {
      transactions.executeWithoutResult(
          status -> {
            try (var connection = proxy.getConnection()) {
              store.publish(connection, messages);
            } catch (SQLException e) {
              throw new AssertionError(e);
            }
            if (!commit) {
              status.setRollbackOnly();
            }
          });
    }
    assertThat(DATABASE.count("SELECT count(*) FROM outbox_messages")).isOne();
  }

  @Test
  void theTablesAreCreatedWithTheTransactionOfTheCaller() {
    TestDatabase empty = TestDatabase.empty();
    String tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()";
    try (HikariDataSource other = pool(empty, pool.isAutoCommit())) {
      TransactionTemplate template =
          new TransactionTemplate(new DataSourceTransactionManager(other));
      TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(other);
      template.executeWithoutResult(
          status -> {
            JdbiInboxStore.migrate(proxy);
            status.setRollbackOnly();
          });
      assertThat(empty.count(tables)).isZero();
      template.executeWithoutResult(status -> JdbiInboxStore.migrate(proxy));
      assertThat(empty.count(tables)).isPositive();
    }
  }

  @Test
  void retentionRefusesToRunInsideATransaction() {
    store.declareRetention(Set.of(Messages.ENDPOINT), Retention.days(7));
    transactions.executeWithoutResult(
        status -> {
          assertThatThrownBy(() -> store.retain(report -> true))
              .isInstanceOf(InboxException.class)
              .hasMessageContaining("inside a transaction")
              .hasMessageContaining("outside");
          jdbc.update("INSERT INTO effects VALUES ('of the caller')");
        });
    assertThat(DATABASE.effects()).hasSize(1);
    assertThat(store.retain(report -> true).ran()).isTrue();
  }
}
