package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.error.InboxException;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.testkit.engine.Logged;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Pools that users have set up in their own way. */
@Tag("slow")
@Timeout(60)
class UserDataSourceTest {

  @Test
  void aPoolWithoutAutoCommitStoresAndHandlesAllTheSame() {
    TestDatabase database = TestDatabase.fresh();
    try (HikariDataSource pool = pool(database, "SELECT 1")) {
      JdbiInboxStore.migrate(pool);
      JdbiInboxStore store = JdbiInboxStore.create(pool);
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(3));
      assertThat(database.count("SELECT count(*) FROM inbox_messages")).isEqualTo(3);
      assertThat(Messages.settle(store, 10, Outcome.Processed::new)).hasSize(3);
      assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(3);
    }
  }

  @Test
  void connectionsWithoutAutoCommitComeBackAsTheyWereLent() {
    TestDatabase database = TestDatabase.fresh();
    List<Boolean> cameBack = new CopyOnWriteArrayList<>();
    PGSimpleDataSource withoutAutoCommit =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(false);
            return closedBy(connection, () -> cameBack.add(connection.getAutoCommit()));
          }
        };
    withoutAutoCommit.setUrl(database.url());
    try (JdbiInboxStore store = JdbiInboxStore.create(withoutAutoCommit)) {
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(3));
      assertThat(Messages.settle(store, 10, Outcome.Processed::new)).hasSize(3);
    }
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(3);
    assertThat(cameBack).isNotEmpty().containsOnly(false);
  }

  private static Connection closedBy(Connection connection, Callable<?> before) {
    return (Connection)
        Proxy.newProxyInstance(
            UserDataSourceTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                before.call();
              }
              return switch (method.getName()) {
                case "hashCode" -> System.identityHashCode(proxy);
                case "equals" -> proxy == arguments[0];
                default -> method.invoke(connection, arguments);
              };
            });
  }

  @Test
  void optionsOfTheUrlThatChangeWhatIsSentAndFetchedDoNoHarm() {
    TestDatabase database = TestDatabase.fresh();
    for (String option : List.of("stringtype=unspecified", "defaultRowFetchSize=1")) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url() + "&" + option);
      database.execute("TRUNCATE inbox_messages, inbox_pending, inbox_processed_default, effects");
      try (HikariDataSource pool = new HikariDataSource(config);
          JdbiInboxStore store = JdbiInboxStore.create(pool)) {
        store.receive(Messages.ENDPOINT, Messages.events(3));
        try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
          List<ClaimedMessage> messages = transaction.claim(Messages.TYPES, 10);
          transaction.savepoint();
          TestDatabase.effect(transaction.unwrap(Handle.class), "undone");
          transaction.rollbackToSavepoint();
          transaction.savepoint();
          TestDatabase.effect(transaction.unwrap(Handle.class), option);
          transaction.releaseSavepoint();
          assertThat(Messages.settle(Messages.store(database), 10, Outcome.Processed::new))
              .as("what another gets while these are in flight")
              .isEmpty();
          transaction.commit(
              messages.stream().<Outcome>map(it -> new Outcome.Processed(it.sequence())).toList());
        }
      }
      assertThat(database.effects()).containsExactly(option);
      assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(3);
    }
  }

  @Test
  void itIsSaidAtTheStartThatCommitsAreAnsweredBeforeTheyAreSafe() {
    TestDatabase database = TestDatabase.fresh();
    try (Logged logged = Logged.by(JdbiInboxStore.class.getName())) {
      Messages.store(database).close();
      assertThat(logged.lines()).isEmpty();
      JdbiInboxStore store =
          JdbiInboxStore.connect(database.url() + "&options=-c%20synchronous_commit=off");
      store.open();
      store.close();
      assertThat(logged.lines(Level.WARN))
          .singleElement(STRING)
          .contains("synchronous_commit is off", "a crash", "ALTER ROLE");
    }
  }

  @Test
  void connectionsThatCannotSendBatchesAreRefusedAtOnce() {
    try (JdbiInboxStore store =
        JdbiInboxStore.connect(TestDatabase.fresh().url() + "&preferQueryMode=simple")) {
      assertThatThrownBy(store::open)
          .isInstanceOf(InboxException.class)
          .hasMessageContaining("preferQueryMode=simple")
          .hasMessageContaining("expected extended");
    }
  }

  @Test
  void aLockThatCannotBeHadInTimeIsNoReasonToPutMessagesAside() {
    TestDatabase database = TestDatabase.fresh();
    try (HikariDataSource pool = pool(database, "SET lock_timeout = '200ms'");
        JdbiInboxStore store = JdbiInboxStore.create(pool)) {
      store.open();
      Jdbi.create(database.dataSource())
          .useTransaction(
              handle -> {
                handle.execute("LOCK TABLE inbox_messages IN SHARE MODE");
                assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, Messages.events(3)))
                    .isInstanceOf(StoreUnavailableException.class);
              });
      store.receive(Messages.ENDPOINT, Messages.events(3));
      assertThat(database.count("SELECT count(*) FROM inbox_pending")).isEqualTo(3);
      assertThat(database.count("SELECT count(*) FROM inbox_quarantine")).isZero();
    }
  }

  @Test
  void aPoolThatDoesNotSayWhyItHasNoConnectionIsNoReasonToPutMessagesAside() {
    DataSource empty =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            throw new SQLException("the pool is empty");
          }
        };
    try (JdbiInboxStore store = JdbiInboxStore.create(empty)) {
      assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, Messages.events(3)))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("the pool is empty");
    }
  }

  private static HikariDataSource pool(TestDatabase database, String initSql) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setAutoCommit(false);
    config.setConnectionInitSql(initSql);
    return new HikariDataSource(config);
  }
}
