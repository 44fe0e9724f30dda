package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Pools that users have set up in their own way. */
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
