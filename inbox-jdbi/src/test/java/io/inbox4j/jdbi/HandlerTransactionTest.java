package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a handler can do with its transaction, and what not. */
class HandlerTransactionTest {

  private static final TestDatabase DATABASE = TestDatabase.fresh();

  private final JdbiInboxStore store = Messages.store(DATABASE);
  private WorkTransaction transaction;
  private long sequence;

  @BeforeEach
  void begin() {
    DATABASE.execute("TRUNCATE effects, inbox_messages, inbox_pending, inbox_processed_default");
    store.receive(Messages.ENDPOINT, Messages.events(1));
    transaction = store.begin(Messages.ENDPOINT);
    sequence = transaction.claim(Messages.TYPES, 1).get(0).sequence();
  }

  @AfterEach
  void end() {
    transaction.close();
    store.close();
  }

  private void commit() {
    transaction.commit(List.of(new Outcome.Processed(sequence)));
  }

  @Test
  void theConnectionCannotEndTheTransaction() {
    Connection connection = transaction.unwrap(Connection.class);
    TestDatabase.effect(transaction.unwrap(Handle.class), "one");
    Stream.<ThrowingCallable>of(
            connection::commit,
            connection::rollback,
            connection::close,
            () -> connection.abort(Runnable::run),
            () -> connection.setAutoCommit(true))
        .forEach(
            call ->
                assertThatThrownBy(call)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("by a handler")
                    .hasMessageContaining("throw to undo"));
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("one");
  }

  @Test
  void theHandleCannotEndTheTransaction() {
    Handle handle = transaction.unwrap(Handle.class);
    TestDatabase.effect(handle, "one");
    Stream.<ThrowingCallable>of(handle::commit, handle::rollback)
        .forEach(call -> assertThatThrownBy(call).hasStackTraceContaining("by a handler"));
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("one");
  }

  @Test
  void aTransactionWithinTheTransactionIsTheSame() {
    Handle handle = transaction.unwrap(Handle.class);
    handle.useTransaction(inner -> TestDatabase.effect(inner, "inner"));
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("inner");
  }

  @Test
  void savepointsWork() throws Exception {
    Connection connection = transaction.unwrap(Connection.class);
    Handle handle = transaction.unwrap(Handle.class);
    TestDatabase.effect(handle, "before");
    Savepoint savepoint = connection.setSavepoint();
    assertThatThrownBy(() -> handle.execute("SELECT 1 / 0")).hasMessageContaining("zero");
    connection.rollback(savepoint);
    handle.savepoint("mine");
    TestDatabase.effect(handle, "undone");
    handle.rollbackToSavepoint("mine");
    TestDatabase.effect(handle, "after");
    commit();
    assertThat(DATABASE.effects()).containsExactly("after", "before");
  }

  @Test
  void aHandleThatWasClosedIsReplaced() {
    Handle first = transaction.unwrap(Handle.class);
    assertThat(transaction.unwrap(Handle.class)).isSameAs(first);
    TestDatabase.effect(first, "one");
    first.close();
    Handle second = transaction.unwrap(Handle.class);
    assertThat(second).isNotSameAs(first);
    TestDatabase.effect(second, "two");
    commit();
    assertThat(DATABASE.effects()).containsExactly("one", "two");
  }

  @Test
  void anotherTypeIsRefusedByThoseThereAre() {
    assertThatThrownBy(() -> transaction.unwrap(javax.sql.DataSource.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("javax.sql.DataSource")
        .hasMessageContaining("org.jdbi.v3.core.Handle")
        .hasMessageContaining("java.sql.Connection");
  }

  @Test
  void handlersPlanTheirQueriesAsUsualAndTheStoreGoesByIndex() {
    Handle handle = transaction.unwrap(Handle.class);
    transaction.mark();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.keep();
    transaction.mark();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.undo();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("off");
    transaction.mark();
    transaction.keep();
    transaction.note(List.of(), Duration.ZERO);
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("off");
    transaction.claim(Messages.TYPES, 1);
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.note(List.of(), Duration.ZERO);
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("off");
  }

  @Test
  void aTransactionThatDoesNothingIsEndedAndOnlyThisTransactionIs() {
    String timeout = "idle_in_transaction_session_timeout";
    assertThat(setting(transaction.unwrap(Handle.class), timeout)).isEqualTo("1min");
    transaction.close();
    try (var pool = new com.zaxxer.hikari.HikariDataSource()) {
      pool.setJdbcUrl(DATABASE.url());
      pool.setMaximumPoolSize(1);
      try (JdbiInboxStore pooled = JdbiInboxStore.create(pool)) {
        Messages.settle(pooled, 1, Outcome.Processed::new);
        try (Handle handle = org.jdbi.v3.core.Jdbi.open(pool)) {
          assertThat(setting(handle, timeout)).isEqualTo("0");
          assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
        }
      }
    }
  }

  @Test
  void theMapperConfigurationReachesHandlers() {
    try (JdbiInboxStore configured =
            JdbiInboxStore.builder(DATABASE.dataSource())
                .jdbi(jdbi -> jdbi.registerRowMapper(Name.class, (row, context) -> new Name("x")))
                .build();
        WorkTransaction work = configured.begin(Messages.ENDPOINT)) {
      assertThat(work.unwrap(Handle.class).select("SELECT 1").mapTo(Name.class).one())
          .isEqualTo(new Name("x"));
    }
  }

  private record Name(String text) {}

  private static String setting(Handle handle, String name) {
    return handle.select("SELECT current_setting(?)", name).mapTo(String.class).one();
  }
}
