package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.jdbi.internal.connect.ConnectionPool;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.WorkStore;
import io.inbox4j.store.WorkTransaction;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {

  private final TestDatabase database = TestDatabase.fresh();

  @Test
  void closingEndsTheThreadsAndConnectionsThatTheStoreOpened() {
    JdbiInboxStore store = JdbiInboxStore.connect(database.url());
    store.open();
    WorkStore.Watch watch = store.watch(endpoint -> {}, () -> {});
    store.receive(Messages.ENDPOINT, Messages.events(1));
    WorkTransaction open = store.begin(Messages.ENDPOINT);
    open.claim(Messages.TYPES, 1);
    assertThat(connections()).isPositive();
    watch.close();
    open.close();
    store.close();
    store.close();
    await().untilAsserted(() -> assertThat(connections()).isZero());
    await()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("inbox")));
  }

  @Test
  void aFirstConnectionThatIsLostWhileItIsSetUpDoesNotSpoilThePool() throws SQLException {
    String question = "SHOW TRANSACTION ISOLATION LEVEL"; // what the pool asks its first connection
    try (HikariDataSource pool = ConnectionPool.of(database.url() + LosingSockets.PARAMETER)) {
      LosingSockets.loseOne(question);
      try (Connection first = pool.getConnection()) {
        assertThat(first.isValid(1)).isTrue();
      } catch (SQLException e) {
        assertThat(e.getMessage()).as("its connection was lost").isNotBlank();
      }
      assertThat(LosingSockets.waitsFor(question)).as("a socket was lost").isFalse();
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
      }
    }
  }

  @Test
  void whatTheDatabaseSaysDoesNotQuoteRowsUnlessTheUrlAsksForIt() {
    assertThat(refusal(database.url())).contains("violates").doesNotContain("(secret)");
    assertThat(refusal(database.url() + "&logServerErrorDetail=true")).contains("(secret)");
  }

  private static String refusal(String url) {
    try (HikariDataSource pool = ConnectionPool.of(url);
        Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
      handle.execute("CREATE TEMPORARY TABLE picky (text text CHECK (text <> 'secret'))");
      return catchThrowable(() -> handle.execute("INSERT INTO picky VALUES ('secret')"))
          .getMessage();
    }
  }

  @Test
  void theUsersOwnPoolStaysOpenAndGetsEveryConnectionBack() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.url());
      pool.setMaximumPoolSize(1);
      pool.setConnectionTimeout(2_000);
      JdbiInboxStore store = JdbiInboxStore.create(pool);
      store.open();
      store.receive(Messages.ENDPOINT, Messages.events(3));
      for (int i = 0; i < 3; i++) {
        try (WorkTransaction abandoned = store.begin(Messages.ENDPOINT)) {
          abandoned.claim(Messages.TYPES, 1);
        }
        Messages.settle(store, 1, Outcome.Processed::new);
      }
      store.close();
      assertThat(pool.isClosed()).isFalse();
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      try (Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
        assertThat(handle.isInTransaction()).as("the pool gets it back as it was").isFalse();
      }
    }
  }

  @Test
  void aConnectionWhoseSessionCannotBeClearedIsNotUsedAgain() {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(refusing(database.dataSource(), "pg_advisory_unlock_all"));
      pool.setMaximumPoolSize(1);
      try (JdbiInboxStore store = JdbiInboxStore.create(pool);
          WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        transaction.unwrap(Handle.class).execute("CREATE TEMPORARY TABLE leftover (n int)");
        transaction.commit(List.of());
      }
      try (Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
        assertThat(
                handle
                    .select("SELECT count(to_regclass('pg_temp.leftover'))")
                    .mapTo(Integer.class)
                    .one())
            .isZero();
      }
    }
  }

  /** A data source whose connections refuse SQL with this in it. */
  private static DataSource refusing(DataSource source, String text) {
    return around(
        DataSource.class,
        (method, arguments) -> {
          Object result = method.invoke(source, arguments);
          if (!(result instanceof Connection connection)) {
            return result;
          }
          return around(
              Connection.class,
              (called, given) -> {
                if (given != null && given[0] instanceof String sql && sql.contains(text)) {
                  throw new SQLException("refused", "57014");
                }
                return called.invoke(connection, given);
              });
        });
  }

  @Test
  void aTransactionEndsOnceAndItsConnectionGoesBackAsItCame() {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    try (JdbiInboxStore store = silent(recorded(database.dataSource(), calls))) {
      store.receive(Messages.ENDPOINT, Messages.events(2));
      calls.clear();
      Messages.settle(store, 1, Outcome.Processed::new);
      assertThat(calls).containsExactly("setAutoCommit", "commit", "setAutoCommit", "close");
      calls.clear();
      try (WorkTransaction abandoned = store.begin(Messages.ENDPOINT)) {
        abandoned.claim(Messages.TYPES, 1);
      }
      assertThat(calls).containsExactly("setAutoCommit", "rollback", "setAutoCommit", "close");
    }
  }

  @Test
  void aBatchTakesThreeRoundTripsBesidesThoseOfItsHandlers() {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    DataSource recorded =
        recorded(database.dataSource(), calls, Set.of("prepareStatement", "createStatement"));
    try (JdbiInboxStore store = silent(recorded)) {
      store.receive(Messages.ENDPOINT, Messages.events(2));
      calls.clear();
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        List<Outcome> outcomes =
            transaction.claim(Messages.TYPES, 2).stream()
                .<Outcome>map(message -> new Outcome.Processed(message.sequence()))
                .toList();
        assertThat(calls).as("a lane, and what is in it").hasSize(2);
        transaction.savepoint();
        TestDatabase.effect(transaction.unwrap(Handle.class), "done");
        transaction.releaseSavepoint();
        assertThat(calls).as("with that of the handler").hasSize(3);
        transaction.commit(outcomes);
        assertThat(calls).hasSize(4);
      }
    }
    assertThat(database.effects()).containsExactly("done");
    assertThat(database.count("SELECT count(*) FROM inbox_processed")).isEqualTo(2);
  }

  /** A store that sends no notifications, which are no part of what is recorded. */
  private static JdbiInboxStore silent(DataSource dataSource) {
    return JdbiInboxStore.builder(dataSource).notifications(false).build();
  }

  /** The same data source, with a record of what begins and ends transactions. */
  private static DataSource recorded(DataSource dataSource, Queue<String> calls) {
    return recorded(dataSource, calls, Set.of("setAutoCommit", "commit", "rollback", "close"));
  }

  private static DataSource recorded(
      DataSource dataSource, Queue<String> calls, Set<String> interesting) {
    return around(
        DataSource.class,
        (method, arguments) -> {
          Connection connection = dataSource.getConnection();
          return around(
              Connection.class,
              (inner, values) -> {
                if (interesting.contains(inner.getName())) {
                  calls.add(inner.getName());
                }
                return inner.invoke(connection, values);
              });
        });
  }

  private interface Call {
    Object invoke(Method method, Object[] arguments) throws Exception;
  }

  private static <T> T around(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call.invoke(method, arguments)));
  }

  @Test
  void aPoolOfTheStoresOwnNoticesALostServer() {
    try (HikariDataSource pool = ConnectionPool.of(database.url())) {
      assertThat(pool.getDataSourceProperties())
          .containsEntry("tcpKeepAlive", "true")
          .containsEntry("targetServerType", "primary")
          .containsEntry("socketTimeout", "300");
    }
  }

  @Test
  void aConnectionThatTurnsOutToBeReadOnlyIsNotUsedAgainToReceive() throws Exception {
    try (JdbiInboxStore store = JdbiInboxStore.connect(database.url())) {
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT);
          Statement statement =
              BackDoor.behind(transaction.unwrap(Connection.class)).createStatement()) {
        statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
        transaction.commit(List.of());
      }
      assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, Messages.events(1)))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("read-only");
      assertThat(store.receive(Messages.ENDPOINT, Messages.events(1)))
          .containsExactly(StoreResult.STORED);
    }
  }

  @Test
  void anIdleTimeoutThatIsTooShortIsRefused() {
    assertThatThrownBy(
            () -> JdbiInboxStore.builder(database.dataSource()).idleTimeout(Duration.ofMillis(99)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0.099S")
        .hasMessageContaining("100 ms");
  }

  @Test
  void theServerEndsAFrozenTransactionAndFreesItsMessages() {
    try (JdbiInboxStore store =
            JdbiInboxStore.builder(database.dataSource())
                .idleTimeout(Duration.ofMillis(100))
                .build();
        WorkTransaction frozen = store.begin(Messages.ENDPOINT)) {
      store.receive(Messages.ENDPOINT, Messages.events(1));
      long sequence = frozen.claim(Messages.TYPES, 1).get(0).sequence();
      try (JdbiInboxStore other = Messages.store(database)) {
        await()
            .untilAsserted(
                () -> assertThat(Messages.settle(other, 1, Outcome.Processed::new)).hasSize(1));
      }
      assertThatThrownBy(() -> frozen.commit(List.of(new Outcome.Processed(sequence))))
          .isInstanceOf(StoreUnavailableException.class);
    }
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  private long connections() {
    return database.count(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox'"
            + " AND datname = current_database()");
  }
}
