package io.inbox4j.jdbi;

import io.inbox4j.contract.store.StoreFixture;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.store.Write;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/** A store on a database that all tests of a class share. */
class JdbiFixture implements StoreFixture {

  private final TestDatabase database;

  JdbiFixture(TestDatabase database) {
    this.database = database;
  }

  @Override
  public InboxStore newStore() {
    return JdbiInboxStore.create(database.dataSource());
  }

  @Override
  public void effect(WorkTransaction transaction, String name) {
    TestDatabase.effect(transaction.unwrap(Handle.class), name);
  }

  @Override
  public Write writeOf(String name) {
    return new Write("INSERT INTO effects VALUES (?)", List.of(name));
  }

  @Override
  public List<String> effects() {
    return database.effects();
  }

  @Override
  public Object transactionOf(WorkTransaction transaction) {
    return transaction.unwrap(Handle.class);
  }

  @Override
  public void failAndSwallow(WorkTransaction transaction) {
    try {
      transaction.unwrap(Handle.class).execute("SELECT 1 / 0");
      throw new AssertionError("the statement did not fail");
    } catch (UnableToExecuteStatementException e) {
      // as a careless handler does
    }
  }

  @Override
  public void lose(WorkTransaction transaction) {
    Handle handle = transaction.unwrap(Handle.class);
    database.terminate(handle.select("SELECT pg_backend_pid()").mapTo(Integer.class).one());
  }

  @Override
  public void violateDeferred(WorkTransaction transaction) {
    transaction
        .unwrap(Handle.class)
        .execute(
            "CREATE TEMPORARY TABLE rooms (room integer UNIQUE DEFERRABLE INITIALLY DEFERRED)"
                + " ON COMMIT DROP; INSERT INTO rooms VALUES (1), (1)");
  }

  @Override
  public void end(WorkTransaction transaction) {
    try {
      BackDoor.behind(transaction.unwrap(Connection.class)).commit();
    } catch (SQLException | IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void age(Duration time) {
    String by = " - interval '%d s'".formatted(time.toSeconds());
    database.execute("UPDATE inbox_messages SET received_on_utc = received_on_utc" + by);
    database.execute("UPDATE inbox_processed SET processed_on_utc = processed_on_utc" + by);
    database.execute("UPDATE inbox_interventions SET done_on_utc = done_on_utc" + by);
    database.execute("UPDATE outbox_scheduled SET due_on_utc = due_on_utc" + by);
    database.execute("DELETE FROM inbox_retention_progress"); // scans begin anew
  }
}
