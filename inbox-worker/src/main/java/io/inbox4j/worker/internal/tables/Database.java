package io.inbox4j.worker.internal.tables;

import io.inbox4j.InboxException;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.worker.internal.options.DatabaseOptions;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** The database as the command line uses it: the store, and a connection to look around with. */
public final class Database implements AutoCloseable {

  private static final int POOL_SIZE = 2;

  public final JdbiInboxStore store;
  public final Handle handle;
  public final String place;

  private Database(JdbiInboxStore store, Handle handle, String place) {
    this.store = store;
    this.handle = handle;
    this.place = place;
  }

  /**
   * Connects.
   *
   * @throws InboxException if the tables are missing, or older than this program needs
   */
  public static Database open(DatabaseOptions options) {
    Database database = connect(options);
    try {
      database.requireTables();
      return database;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** Connects, whatever the tables are like. */
  public static Database connect(DatabaseOptions options) {
    Handle handle = handle(options);
    handle.execute(Sql.TIMEOUT);
    return new Database(
        JdbiInboxStore.builder(options.url()).poolSize(POOL_SIZE).migrate(false).build(),
        handle,
        options.place());
  }

  /**
   * Finds out at once whether the database answers, where a pool would try for a while.
   *
   * @throws StoreUnavailableException if it does not
   */
  public static void probe(DatabaseOptions options) {
    handle(options).close();
  }

  private static Handle handle(DatabaseOptions options) {
    try {
      return Jdbi.create(dataSource(options)).open();
    } catch (ConnectionException e) {
      String cause = e.getCause() instanceof SQLException sql ? sql.getMessage() : e.getMessage();
      throw new StoreUnavailableException(
          "the database %s does not answer: %s".formatted(options.place(), cause), e);
    }
  }

  public static PGSimpleDataSource dataSource(DatabaseOptions options) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(options.url());
    source.setApplicationName("inbox command line");
    source.setConnectTimeout(10);
    source.setTcpKeepAlive(true);
    source.setTargetServerType("primary");
    if (!options.url().contains(PGProperty.SOCKET_TIMEOUT.getName() + "=")) {
      source.setSocketTimeout(300);
    }
    return source;
  }

  /** The version of the tables; 0 if there are none. */
  public int version() {
    boolean exists = handle.createQuery(Sql.HAS_TABLES).mapTo(Boolean.class).one();
    return exists ? handle.createQuery(Sql.VERSION).mapTo(Integer.class).one() : 0;
  }

  private void requireTables() {
    int version = version();
    if (version < JdbiInboxStore.schemaVersion()) {
      throw new InboxException(
          "the tables of the inbox in %s %s; run inbox migrate"
              .formatted(
                  place,
                  version == 0
                      ? "are missing"
                      : "have version %d, this program needs %d"
                          .formatted(version, JdbiInboxStore.schemaVersion())));
    }
  }

  @Override
  public void close() {
    handle.close();
    store.close();
  }
}
