package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.AbortedTransactionException;
import io.inbox4j.store.FailureKind;
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

class SqlErrorsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "08000", "08001", "08003", "08006", "08P01", "53000", "53100", "53200", "53300", "58000",
        "58030", "40003", "25006", "25P04", "57P01", "57P02", "57P03", "57P05"
      })
  void whatPassesIsTheInfrastructuresFault(String state) {
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.INFRASTRUCTURE);
    assertThat(SqlErrors.of(new RuntimeException(new Exception(new SQLException("x", state)))))
        .isEqualTo(FailureKind.INFRASTRUCTURE);
    assertThat(SqlErrors.translated(new SQLException("gone", state)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("gone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"23505", "23514", "22P02", "P0001", "22001"})
  void dataThatIsRefusedIsTheMessagesFault(String state) {
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.MESSAGE);
    assertThat(SqlErrors.translated(new SQLException("why", state)))
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
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.MESSAGE);
    assertThat(SqlErrors.translated(new SQLException("why", state)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("why");
    assertThat(SqlErrors.translatedAfterHandlers(new SQLException("why", state)))
        .isExactlyInstanceOf(InboxException.class)
        .hasMessageContaining("why");
  }

  @Test
  void whatTheDatabaseHasNotSaidIsNoMessagesFault() {
    assertThat(SqlErrors.translated(new IllegalStateException("the pool has a bad day")))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("the pool has a bad day");
    assertThat(SqlErrors.translated(new SQLException("no state")))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(SqlErrors.translatedAfterHandlers(new IllegalStateException("theirs")))
        .isExactlyInstanceOf(InboxException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"25P01", "3B001"})
  void aTransactionThatIsGoneWasEndedByAHandlerIfOneHadIt(String state) {
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.MESSAGE);
    assertThat(SqlErrors.translated(new SQLException("why", state)))
        .isInstanceOf(StoreUnavailableException.class);
    RuntimeException after = SqlErrors.translatedAfterHandlers(new SQLException("why", state));
    assertThat(after)
        .isInstanceOf(TransactionEndedException.class)
        .hasMessageContaining("the handler ended the inbox's transaction");
    assertThat(SqlErrors.of(after)).isEqualTo(FailureKind.MESSAGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"40001", "40P01"})
  void aLostConflictIsNobodysFault(String state) {
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.CONFLICT);
    assertThat(SqlErrors.translated(new SQLException("lost", state)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aTransactionThatDidNothingForTooLongIsKnown() {
    assertThat(SqlErrors.of(new SQLException("x", "25P03"))).isEqualTo(FailureKind.TIMED_OUT);
    assertThat(SqlErrors.of(new StoreUnavailableException("x", new SQLException("x", "25P03"))))
        .isEqualTo(FailureKind.TIMED_OUT);
    assertThat(SqlErrors.translated(new SQLException("idle", "25P03")))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"55P03", "57014"})
  void whatIsTooSlowIsAHandlersFaultButNotThatOfWhatIsStored(String state) {
    assertThat(SqlErrors.of(new SQLException("x", state))).isEqualTo(FailureKind.MESSAGE);
    assertThat(SqlErrors.translated(new SQLException("slow", state)))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(SqlErrors.translatedAfterHandlers(new SQLException("slow", state)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aSwallowedErrorIsKnownByTheStatementAfterIt() {
    SQLException aborted = new SQLException("current transaction is aborted", "25P02");
    assertThat(SqlErrors.of(aborted)).isEqualTo(FailureKind.ABORTED);
    assertThat(SqlErrors.of(new RuntimeException(aborted))).isEqualTo(FailureKind.ABORTED);
    assertThat(SqlErrors.translated(aborted)).isInstanceOf(AbortedTransactionException.class);
    assertThat(SqlErrors.of(new AbortedTransactionException(aborted)))
        .isEqualTo(FailureKind.ABORTED);
  }

  @Test
  void failuresThatAreNotOfTheDatabaseAreTheMessagesFault() {
    assertThat(SqlErrors.of(new IllegalStateException())).isEqualTo(FailureKind.MESSAGE);
    assertThat(SqlErrors.of(new SQLException("no state"))).isEqualTo(FailureKind.MESSAGE);
    Exception first = new Exception();
    first.initCause(new Exception(first));
    assertThat(SqlErrors.of(first)).isEqualTo(FailureKind.MESSAGE);
  }

  @Test
  void aPoolThatIsUsedUpIsTheInfrastructuresFault() throws Exception {
    assertThat(SqlErrors.of(new SQLTransientConnectionException("timed out")))
        .isEqualTo(FailureKind.INFRASTRUCTURE);
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
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.INFRASTRUCTURE));
      assertThatThrownBy(() -> handle.execute("SELECT 1"))
          .satisfies(e -> assertThat(store.failureKind(e)).isEqualTo(FailureKind.INFRASTRUCTURE));
      assertThatThrownBy(transaction::rollbackToSavepoint)
          .isInstanceOf(StoreUnavailableException.class);
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
