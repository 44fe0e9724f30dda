package io.inbox4j.jdbi;

import io.inbox4j.contract.store.StoreFixture;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.WorkTransaction;
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
    JdbiInboxStore store = JdbiInboxStore.create(database.dataSource());
    store.open();
    return store;
  }

  @Override
  public void effect(WorkTransaction transaction, String name) {
    TestDatabase.effect(transaction.unwrap(Handle.class), name);
  }

  @Override
  public List<String> effects() {
    return database.effects();
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
}
