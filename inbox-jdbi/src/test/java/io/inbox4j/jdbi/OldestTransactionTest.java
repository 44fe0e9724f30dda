package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.store.StoreStatus;
import io.inbox4j.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** What an operator reads of the transaction that holds back vacuum. */
class OldestTransactionTest {

  /** A database that no other test has transactions in. */
  private final String url = PostgresServer.shared().newDatabase();

  @Test
  void itsHolderIsNamedWithProcessRoleApplicationAndState() throws Exception {
    try (JdbiInboxStore store = JdbiInboxStore.create(PostgresServer.shared().dataSource(url));
        Connection holder = DriverManager.getConnection(url + "&ApplicationName=nightly%20report");
        Statement statement = holder.createStatement()) {
      store.open();
      assertThat(transactions(store)).isEqualTo(new StoreStatus.Transactions(null, null, null));
      holder.setAutoCommit(false);
      statement.execute("SELECT pg_current_xact_id()");
      StoreStatus.Transactions transactions = transactions(store);
      assertThat(transactions.oldest()).isGreaterThanOrEqualTo(Duration.ZERO);
      assertThat(transactions.holder())
          .isEqualTo(
              "process %d of role %s, application 'nightly report', idle in transaction"
                  .formatted(
                      holder.unwrap(PGConnection.class).getBackendPID(),
                      holder.getMetaData().getUserName()));
    }
  }

  private static StoreStatus.Transactions transactions(JdbiInboxStore store) {
    return store.status(Set.of("orders"), Duration.ofSeconds(5)).transactions();
  }
}
