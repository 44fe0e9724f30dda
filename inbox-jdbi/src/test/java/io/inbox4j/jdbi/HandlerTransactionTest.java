package io.inbox4j.jdbi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.inbox4j.store.Outcome;
import io.inbox4j.store.WorkTransaction;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.jdbc.PgStatement;
import org.postgresql.largeobject.LargeObject;
import org.postgresql.largeobject.LargeObjectManager;

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
  void everyWayToAConnectionLeadsToTheGuard() throws Exception {
    assertAllWaysLeadBackTo(transaction.unwrap(Connection.class));
    try (JdbiInboxStore pooled = JdbiInboxStore.connect(DATABASE.url());
        WorkTransaction work = pooled.begin(Messages.ENDPOINT)) {
      assertAllWaysLeadBackTo(work.unwrap(Connection.class));
    }
  }

  private static void assertAllWaysLeadBackTo(Connection connection) throws Exception {
    DatabaseMetaData metaData = connection.getMetaData();
    try (Statement statement = connection.createStatement();
        PreparedStatement prepared = connection.prepareStatement("SELECT ARRAY[1, 2]");
        CallableStatement call = connection.prepareCall("SELECT 1");
        ResultSet tables = metaData.getTables(null, null, "effects", null);
        ResultSet row = prepared.executeQuery()) {
      row.next();
      List<Connection> found =
          List.of(
              statement.getConnection(),
              statement.unwrap(Statement.class).getConnection(),
              prepared.getConnection(),
              call.getConnection(),
              metaData.getConnection(),
              metaData.unwrap(DatabaseMetaData.class).getConnection(),
              tables.getStatement().getConnection(),
              row.getStatement().getConnection(),
              row.unwrap(ResultSet.class).getStatement().getConnection(),
              row.getArray(1).getResultSet().getStatement().getConnection(),
              ((Array) row.getObject(1)).getResultSet().getStatement().getConnection(),
              connection
                  .createArrayOf("int4", new Object[] {1})
                  .getResultSet()
                  .getStatement()
                  .getConnection(),
              connection.unwrap(Connection.class),
              connection
                  .unwrap(PGConnection.class)
                  .createArrayOf("int4", new int[] {1})
                  .getResultSet()
                  .getStatement()
                  .getConnection());
      assertThat(found).containsOnly(connection);
    }
  }

  @Test
  void whatWouldLeadPastTheGuardIsNotUnwrapped() throws Exception {
    Connection connection = transaction.unwrap(Connection.class);
    try (Statement statement = connection.createStatement()) {
      for (Class<?> type : List.of(BaseConnection.class, PgConnection.class)) {
        assertThat(connection.isWrapperFor(type)).isFalse();
        assertThatThrownBy(() -> connection.unwrap(type))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining(type.getName())
            .hasMessageContaining("expected org.postgresql.PGConnection");
      }
      assertThat(statement.isWrapperFor(PgStatement.class)).isFalse();
      assertThatThrownBy(() -> statement.unwrap(PgStatement.class))
          .isInstanceOf(SQLException.class);
      assertThat(statement.isWrapperFor(PGStatement.class)).isTrue();
      assertThat(statement.unwrap(PGStatement.class)).isNotInstanceOf(Statement.class);
      assertThat(connection.isWrapperFor(PGConnection.class)).isTrue();
      assertThat(connection.unwrap(PGConnection.class)).isNotInstanceOf(Connection.class);
    }
  }

  @Test
  void copyIsPartOfTheTransactionAndCannotEndIt() throws Exception {
    PGConnection postgres = transaction.unwrap(Connection.class).unwrap(PGConnection.class);
    postgres.getCopyAPI().copyIn("COPY effects FROM STDIN", new StringReader("one\ntwo\n"));
    for (String sql : List.of("COMMIT", "COPY effects FROM STDIN; COMMIT")) {
      Stream.<ThrowingCallable>of(
              () -> postgres.getCopyAPI().copyIn(sql),
              () -> postgres.getCopyAPI().copyOut(sql),
              () -> postgres.getCopyAPI().copyDual(sql),
              () -> postgres.getCopyAPI().copyIn(sql, new StringReader("x")),
              () -> postgres.getCopyAPI().copyIn(sql, new ByteArrayInputStream(new byte[0])),
              () -> postgres.getCopyAPI().copyOut(sql, new StringWriter()))
          .forEach(call -> assertThatThrownBy(call).hasMessageContaining("by a handler"));
    }
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("one", "two");
  }

  @Test
  void largeObjectsArePartOfTheTransactionAndCannotEndIt() throws Exception {
    PGConnection postgres = transaction.unwrap(Connection.class).unwrap(PGConnection.class);
    TestDatabase.effect(transaction.unwrap(Handle.class), "one");
    LargeObjectManager objects = postgres.getLargeObjectAPI();
    long oid = objects.createLO();
    try (LargeObject written = objects.open(oid)) {
      written.write(new byte[] {1, 2, 3});
    }
    try (LargeObject read = objects.open(oid, LargeObjectManager.READ)) {
      assertThat(read.copy().read(10)).containsExactly(1, 2, 3);
    }
    Stream.<ThrowingCallable>of(
            () -> objects.open(oid, true).close(),
            () -> objects.open(oid, LargeObjectManager.READ, true).close(),
            () -> objects.open((int) oid, true).close(),
            () -> objects.open((int) oid, LargeObjectManager.READ, true).close())
        .forEach(call -> assertThatThrownBy(call).hasMessageContaining("by a handler"));
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("one");
  }

  @Test
  void sqlCannotEndTheTransaction() throws Exception {
    Connection connection = transaction.unwrap(Connection.class);
    Handle handle = transaction.unwrap(Handle.class);
    TestDatabase.effect(handle, "one");
    try (Statement statement = connection.createStatement()) {
      for (String sql : List.of("COMMIT", "SELECT 1; rollback", "/* */ end")) {
        Stream.<ThrowingCallable>of(
                () -> statement.execute(sql),
                () -> statement.execute(sql, Statement.NO_GENERATED_KEYS),
                () -> statement.executeQuery(sql),
                () -> statement.executeUpdate(sql),
                () -> statement.executeLargeUpdate(sql),
                () -> statement.addBatch(sql),
                () -> connection.prepareStatement(sql),
                () -> connection.prepareStatement(sql, Statement.NO_GENERATED_KEYS),
                () -> connection.prepareCall(sql),
                () -> handle.execute(sql),
                () -> handle.createScript(sql).execute(),
                () -> handle.createBatch().add(sql).execute())
            .forEach(call -> assertThatThrownBy(call).hasStackTraceContaining("by a handler"));
      }
      assertThatThrownBy(() -> connection.setSavepoint("inbox_segment"))
          .hasMessageContaining("by a handler");
    }
    assertThat(DATABASE.effects()).isEmpty();
    commit();
    assertThat(DATABASE.effects()).containsExactly("one");
  }

  @Test
  void statementsAndResultsWorkThroughTheGuard() throws Exception {
    Connection connection = transaction.unwrap(Connection.class);
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO effects SELECT unnest(?::text[])");
        PreparedStatement batch = connection.prepareStatement("INSERT INTO effects VALUES (?)");
        Statement statement = connection.createStatement()) {
      insert.setArray(1, connection.createArrayOf("text", new Object[] {"a", "b;c"}));
      assertThat(insert.executeUpdate()).isEqualTo(2);
      insert.setObject(1, connection.createArrayOf("text", new Object[] {"d"}));
      insert.executeUpdate();
      batch.setString(1, "COMMIT");
      batch.addBatch();
      batch.setString(1, "f");
      batch.addBatch();
      assertThat(batch.executeBatch()).containsExactly(1, 1);
      statement.execute("SELECT 1; SELECT 2");
      assertThat(statement.getMoreResults()).isTrue();
      assertThat(statement.equals(statement)).isTrue();
      assertThat(new HashSet<>(List.of(statement))).contains(statement);
      try (ResultSet row = statement.executeQuery("SELECT ARRAY['x', 'y']")) {
        assertThat(row.next()).isTrue();
        assertThat((Object[]) row.getArray(1).getArray()).containsExactly("x", "y");
      }
    }
    commit();
    assertThat(DATABASE.effects()).containsExactly("COMMIT", "a", "b;c", "d", "f");
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
    transaction.savepoint();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.releaseSavepoint();
    transaction.savepoint();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.rollbackToSavepoint();
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("off");
    transaction.savepoint();
    transaction.releaseSavepoint();
    transaction.markCrashRisk(List.of(), Duration.ZERO);
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("off");
    transaction.claim(Messages.TYPES, 1);
    assertThat(setting(handle, "enable_seqscan")).isEqualTo("on");
    transaction.markCrashRisk(List.of(), Duration.ZERO);
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
