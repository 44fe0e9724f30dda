package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.InboxException;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.Fault;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.TransactionEndedException;
import io.inbox4j.store.WorkTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "08000", "08001", "08003", "08006", "08P01", "53000", "53100", "53200", "53300", "58000",
        "58030", "40003", "25006", "25P04", "57P01", "57P02", "57P03", "57P05"
      })
  void whatPassesIsTheInfrastructuresFault(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.INFRASTRUCTURE);
    assertThat(Faults.of(new RuntimeException(new Exception(new SQLException("x", state)))))
        .isEqualTo(Fault.INFRASTRUCTURE);
    assertThat(Faults.translated(new SQLException("gone", state)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("gone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"23505", "23514", "22P02", "P0001", "22001"})
  void dataThatIsRefusedIsTheMessagesFault(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.MESSAGE);
    assertThat(Faults.translated(new SQLException("why", state)))
        .isExactlyInstanceOf(InboxException.class)
        .hasMessageContaining("why");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "42601", "42P01", "42501", "0A000", "XX000", "21000", "54000", "54001", "22023", "P0002",
        "2F002", "55000", "72000", "HV000"
      })
  void whatWouldBeRefusedOfEveryMessageIsAHandlersFaultOnlyAfterHandlers(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.MESSAGE);
    assertThat(Faults.translated(new SQLException("why", state)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("why");
    assertThat(Faults.translatedAfterHandlers(new SQLException("why", state)))
        .isExactlyInstanceOf(InboxException.class)
        .hasMessageContaining("why");
  }

  @Test
  void whatTheDatabaseHasNotSaidIsNoMessagesFault() {
    assertThat(Faults.translated(new IllegalStateException("the pool has a bad day")))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("the pool has a bad day");
    assertThat(Faults.translated(new SQLException("no state")))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(Faults.translatedAfterHandlers(new IllegalStateException("theirs")))
        .isExactlyInstanceOf(InboxException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"25P01", "3B001"})
  void aTransactionThatIsGoneWasEndedByAHandlerIfOneHadIt(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.MESSAGE);
    assertThat(Faults.translated(new SQLException("why", state)))
        .isInstanceOf(StoreUnavailableException.class);
    RuntimeException after = Faults.translatedAfterHandlers(new SQLException("why", state));
    assertThat(after)
        .isInstanceOf(TransactionEndedException.class)
        .hasMessageContaining("the handler ended the inbox's transaction");
    assertThat(Faults.of(after)).isEqualTo(Fault.MESSAGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void aLostConflictIsNobodysFault(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.CONFLICT);
    assertThat(Faults.translated(new SQLException("lost", state)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aTransactionThatDidNothingForTooLongIsKnown() {
    assertThat(Faults.of(new SQLException("x", "25P03"))).isEqualTo(Fault.TIMED_OUT);
    assertThat(Faults.of(new StoreUnavailableException("x", new SQLException("x", "25P03"))))
        .isEqualTo(Fault.TIMED_OUT);
    assertThat(Faults.translated(new SQLException("idle", "25P03")))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"55P03", "57014"})
  void whatIsTooSlowIsAHandlersFaultButNotThatOfWhatIsStored(String state) {
    assertThat(Faults.of(new SQLException("x", state))).isEqualTo(Fault.MESSAGE);
    assertThat(Faults.translated(new SQLException("slow", state)))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(Faults.translatedAfterHandlers(new SQLException("slow", state)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aSwallowedErrorIsKnownByTheStatementAfterIt() {
    SQLException aborted = new SQLException("current transaction is aborted", "25P02");
    assertThat(Faults.of(aborted)).isEqualTo(Fault.ABORTED);
    assertThat(Faults.of(new RuntimeException(aborted))).isEqualTo(Fault.ABORTED);
    assertThat(Faults.translated(aborted)).isInstanceOf(AbortedTransactionException.class);
    assertThat(Faults.of(new AbortedTransactionException(aborted))).isEqualTo(Fault.ABORTED);
  }

  @Test
  void failuresThatAreNotOfTheDatabaseAreTheMessagesFault() {
    assertThat(Faults.of(new IllegalStateException())).isEqualTo(Fault.MESSAGE);
    assertThat(Faults.of(new SQLException("no state"))).isEqualTo(Fault.MESSAGE);
    Exception first = new Exception();
    first.initCause(new Exception(first));
    assertThat(Faults.of(first)).isEqualTo(Fault.MESSAGE);
  }

  @Test
  void aPoolThatIsUsedUpIsTheInfrastructuresFault() throws Exception {
    assertThat(Faults.of(new SQLTransientConnectionException("timed out")))
        .isEqualTo(Fault.INFRASTRUCTURE);
    TestDatabase database = TestDatabase.fresh();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbiInboxStore store = JdbiInboxStore.create(pool);
        Connection taken = pool.getConnection()) {
      assertThat(taken.isValid(1)).isTrue();
      assertThatThrownBy(() -> store.receive(Messages.ENDPOINT, Messages.events(1)))
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> store.begin(Messages.ENDPOINT))
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void aConnectionThatItsPoolFoundToBeBrokenIsTheInfrastructuresFault() throws Exception {
    TestDatabase database = TestDatabase.fresh();
    try (JdbiInboxStore store = JdbiInboxStore.connect(database.url());
        WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
      Handle handle = transaction.unwrap(Handle.class);
      database.terminate(handle.select("SELECT pg_backend_pid()").mapTo(Integer.class).one());
      assertThatThrownBy(() -> handle.execute("SELECT 1"))
          .satisfies(e -> assertThat(store.faultOf(e)).isEqualTo(Fault.INFRASTRUCTURE));
      assertThatThrownBy(() -> handle.execute("SELECT 1"))
          .satisfies(e -> assertThat(store.faultOf(e)).isEqualTo(Fault.INFRASTRUCTURE));
      assertThatThrownBy(transaction::undo).isInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void aServerThatIsNotThereIsTheInfrastructuresFault() {
    try (JdbiInboxStore store =
        JdbiInboxStore.create(
            io.inbox4j.testkit.PostgresServer.shared()
                .dataSource("jdbc:postgresql://localhost:1/none?user=x"))) {
      assertThatThrownBy(store::open).isInstanceOf(StoreUnavailableException.class);
    }
  }

  @Test
  void aReadOnlyServerIsTheInfrastructuresFaultAndItsConnectionIsNotUsedAgain() throws Exception {
    TestDatabase database = TestDatabase.fresh();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbiInboxStore store = JdbiInboxStore.create(pool)) {
      store.receive(Messages.ENDPOINT, Messages.events(1));
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("SET default_transaction_read_only = on");
      }
      try (WorkTransaction transaction = store.begin(Messages.ENDPOINT)) {
        assertThatThrownBy(() -> transaction.claim(Messages.TYPES, 1))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("read-only");
      }
      assertThat(Messages.settle(store, 1, io.inbox4j.store.Outcome.Processed::new)).hasSize(1);
    }
  }
}
