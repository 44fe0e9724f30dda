package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.sql.Connection;
import java.util.List;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.CaseStrategy;
import org.jdbi.v3.core.mapper.MapMappers;
import org.jdbi.v3.core.mapper.RowMappers;
import org.jdbi.v3.core.spi.JdbiPlugin;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** A store on the user's own JDBI. */
@Timeout(60)
class UserJdbiTest {

  private final TestDatabase database = TestDatabase.fresh();

  record Name(String text) {}

  private static final JdbiPlugin PLUGIN =
      new JdbiPlugin() {
        @Override
        public void customizeJdbi(Jdbi jdbi) {
          jdbi.registerRowMapper(Name.class, (row, context) -> new Name(row.getString("name")));
        }
      };

  private Jdbi configured() {
    Jdbi jdbi = Jdbi.create(database.dataSource()).installPlugin(PLUGIN);
    jdbi.getConfig(MapMappers.class).setCaseChange(CaseStrategy.LOCALE_UPPER);
    return jdbi;
  }

  private static void handleOne(JdbiInboxStore store, java.util.function.Consumer<Handle> handler) {
    store.receive(Messages.ENDPOINT, Messages.events(1));
    try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      long sequence = transaction.claim(Messages.TYPES, 1).get(0).sequence();
      transaction.savepoint();
      handler.accept(transaction.unwrap(Handle.class));
      transaction.releaseSavepoint();
      transaction.commit(List.of(new Outcome.Processed(sequence)));
    }
  }

  @Test
  void handlersGetHandlesWithItsPluginsAndMappers() {
    Jdbi jdbi = configured();
    try (JdbiInboxStore store = JdbiInboxStore.create(jdbi)) {
      store.open();
      handleOne(
          store,
          handle -> {
            TestDatabase.effect(handle, "done");
            assertThat(handle.select("SELECT name FROM effects").mapTo(Name.class).list())
                .containsExactly(new Name("done"));
            assertThat(handle.select("SELECT 1 AS one").mapToMap().one()).containsKey("ONE");
            assertThat(handle.getJdbi()).isSameAs(jdbi);
          });
    }
    assertThat(database.effects()).containsExactly("done");
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  @Test
  void handlersCannotEndTheTransactionWithIt() {
    try (JdbiInboxStore store = JdbiInboxStore.create(configured())) {
      store.open();
      handleOne(
          store,
          handle -> {
            assertThatThrownBy(handle::commit)
                .hasStackTraceContaining("commit() was called by a handler");
            assertThatThrownBy(() -> handle.execute("COMMIT"))
                .hasStackTraceContaining("COMMIT was called by a handler");
            assertThatThrownBy(() -> handle.getConnection().rollback())
                .hasStackTraceContaining("rollback() was called by a handler");
            handle.close();
          });
    }
    assertThat(database.texts("SELECT status FROM inbox")).containsExactly("processed");
  }

  @Test
  void itIsNotChanged() {
    Jdbi jdbi = configured();
    TemplateEngine engine = jdbi.getConfig(SqlStatements.class).getTemplateEngine();
    try (JdbiInboxStore store = JdbiInboxStore.create(jdbi)) {
      store.open();
      handleOne(
          store,
          handle ->
              handle.registerRowMapper(Integer.class, (row, context) -> 42)); // for this handle
    }
    assertThat(jdbi.getConfig(SqlStatements.class).getTemplateEngine()).isSameAs(engine);
    assertThat(jdbi.getConfig(RowMappers.class).findFor(Integer.class)).isEmpty();
    assertThatThrownBy(() -> JdbiInboxStore.builder(jdbi).jdbi(it -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("configure that one");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itsConnectionsAreGivenBack(boolean autoCommit) {
    try (HikariDataSource pool = pool(autoCommit);
        JdbiInboxStore store = JdbiInboxStore.create(Jdbi.create(pool))) {
      store.open();
      for (int i = 0; i < 5; i++) {
        handleOne(store, handle -> TestDatabase.effect(handle, "done"));
        database.execute("TRUNCATE inbox_messages");
      }
      // a notification may still be on its way, on a connection of its own
      await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }
    assertThat(database.effects()).hasSize(5);
  }

  private HikariDataSource pool(boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setAutoCommit(autoCommit);
    config.setMaximumPoolSize(3);
    return new HikariDataSource(config);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCallInATransactionOfTheThreadTakesPartInIt(boolean autoCommit) {
    try (HikariDataSource pool = pool(autoCommit);
        JdbiInboxStore store = JdbiInboxStore.create(Jdbi.create(springs(pool)))) {
      store.open();
      TransactionTemplate transactions =
          new TransactionTemplate(new DataSourceTransactionManager(pool));
      transactions.executeWithoutResult(
          transaction -> {
            store.receive(Messages.ENDPOINT, Messages.events(2));
            transaction.setRollbackOnly();
          });
      assertThat(database.count("SELECT count(*) FROM inbox_messages")).isZero();
      transactions.executeWithoutResult(
          transaction -> store.receive(Messages.ENDPOINT, Messages.events(2)));
      assertThat(database.count("SELECT count(*) FROM inbox_messages")).isEqualTo(2);
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }
  }

  /** As JDBI's own integration with Spring does it. */
  private static ConnectionFactory springs(HikariDataSource pool) {
    return new ConnectionFactory() {
      @Override
      public Connection openConnection() {
        return DataSourceUtils.getConnection(pool);
      }

      @Override
      public void closeConnection(Connection connection) {
        DataSourceUtils.releaseConnection(connection, pool);
      }
    };
  }
}
