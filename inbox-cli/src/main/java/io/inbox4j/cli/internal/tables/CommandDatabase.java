package io.inbox4j.cli.internal.tables;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.store.StoreUnavailableException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** The database as the command line uses it: the store, and a connection for queries. */
public final class CommandDatabase implements AutoCloseable {

  /** An operator's query ends before it gets in anybody's way. */
  private static final int TIMEOUT_SECONDS = 30;

  public final JdbiInboxStore store;
  public final Handle handle;
  public final String place;
  private final KeptConnections connections;

  private CommandDatabase(KeptConnections connections, Handle handle, DatabaseOptions options) {
    this.connections = connections;
    this.store = options.withSchema(JdbiInboxStore.builder(connections)).migrate(false).build();
    this.handle = handle;
    this.place = options.place();
  }

  /**
   * Connects.
   *
   * @throws InboxException if the tables are missing, or older than this program needs
   */
  public static CommandDatabase open(DatabaseOptions options) {
    CommandDatabase database = connect(options);
    try {
      database.requireTables();
      return database;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** Connects, whatever the state of the tables. */
  public static CommandDatabase connect(DatabaseOptions options) {
    KeptConnections connections = configured(new KeptConnections(), options);
    Handle handle = handle(connections, options);
    // A session setting would stay behind where a pooler gives the session to somebody else.
    handle.getConfig(SqlStatements.class).setQueryTimeout(TIMEOUT_SECONDS);
    return new CommandDatabase(connections, handle, options);
  }

  /**
   * Determines immediately whether the database responds, where a pool would keep trying for a
   * while.
   *
   * @throws StoreUnavailableException if it does not
   */
  public static void probe(DatabaseOptions options) {
    handle(dataSource(options), options).close();
  }

  private static Handle handle(DataSource source, DatabaseOptions options) {
    try {
      return jdbi(source, options).open();
    } catch (ConnectionException e) {
      String cause = e.getCause() instanceof SQLException sql ? sql.getMessage() : e.getMessage();
      throw new StoreUnavailableException(
          "the database %s does not answer: %s%s"
              .formatted(options.place(), cause, readOnly(cause)),
          e);
    }
  }

  /** Queries that name the schema as the store's do. */
  static Jdbi jdbi(DataSource source, DatabaseOptions options) {
    return Jdbi.create(source).setTemplateEngine(InboxSchema.of(options.schema()));
  }

  /** The driver skips a server that is read-only, and does not say why. */
  private static String readOnly(@Nullable String cause) {
    return cause != null && cause.contains(PGProperty.TARGET_SERVER_TYPE.getName())
        ? "; what answers is read-only, inbox doctor says more"
        : "";
  }

  public static PGSimpleDataSource dataSource(DatabaseOptions options) {
    return configured(new PGSimpleDataSource(), options);
  }

  static <T extends PGSimpleDataSource> T configured(T source, DatabaseOptions options) {
    source.setUrl(options.url());
    source.setApplicationName("inbox command line");
    source.setConnectTimeout(10);
    source.setTcpKeepAlive(true);
    source.setTargetServerType("primary");
    if (!options.url().contains(PGProperty.PREPARE_THRESHOLD.getName() + "=")) {
      source.setPrepareThreshold(0); // a pooler may not support named statements
    }
    if (!options.url().contains(PGProperty.SOCKET_TIMEOUT.getName() + "=")) {
      source.setSocketTimeout(300);
    }
    return source;
  }

  /** The schema version; 0 if there are no tables. */
  public int version() {
    return EndpointQueries.version(handle);
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
    connections.close();
  }
}
