package io.inbox4j.jdbi;

import io.inbox4j.testkit.PostgresServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A database with a business table that has no unique key, so that a doubled effect shows. */
record TestDatabase(String url, DataSource dataSource, Jdbi jdbi) {

  private static final String SHARED = PostgresServer.shared().newDatabase();
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  /**
   * One that nobody else uses, without the tables of the inbox: a schema, which is quickly made.
   */
  static TestDatabase empty() {
    String schema = "test_" + SCHEMAS.incrementAndGet();
    at(SHARED).execute("CREATE SCHEMA " + schema);
    return at(SHARED + "&currentSchema=" + schema);
  }

  private static TestDatabase at(String url) {
    DataSource dataSource = PostgresServer.shared().dataSource(url);
    return new TestDatabase(url, dataSource, Jdbi.create(dataSource));
  }

  /** One that nobody else uses, with all tables. */
  static TestDatabase fresh() {
    TestDatabase database = empty();
    JdbiInboxStore.migrate(database.dataSource);
    database.execute("CREATE TABLE effects (name text NOT NULL)");
    return database;
  }

  void execute(String sql, Object... arguments) {
    jdbi.useHandle(handle -> handle.execute(sql, arguments));
  }

  <T> T one(Class<T> type, String query, Object... arguments) {
    return jdbi.withHandle(handle -> handle.select(query, arguments).mapTo(type).one());
  }

  long count(String query, Object... arguments) {
    return one(Long.class, query, arguments);
  }

  List<String> texts(String query, Object... arguments) {
    return jdbi.withHandle(handle -> handle.select(query, arguments).mapTo(String.class).list());
  }

  /** The names of all effects, sorted. */
  List<String> effects() {
    return texts("SELECT name FROM effects ORDER BY name");
  }

  static void effect(Handle handle, String name) {
    handle.execute("INSERT INTO effects VALUES (?)", name);
  }

  /** Ends a backend, and returns once it is gone. */
  void terminate(int pid) {
    execute("SELECT pg_terminate_backend(?, 10000)", pid);
  }
}
