package io.inbox4j.cli.internal.tables;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.store.StoreStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The database as the doctor sees it, whatever state it is in: through one connection, reopened if
 * it is lost, with queries that end soon and do not wait for locks. A read-only server is
 * sufficient.
 */
public final class ExaminedDatabase implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** A query that has to wait, or takes long, ends soon and reports it. */
  private static final String DO_NOT_WAIT =
      "SET LOCAL statement_timeout = '5s'; SET LOCAL lock_timeout = '1s'";

  public final String place;
  private final KeptConnections connections;
  private final Jdbi jdbi;
  private final JdbiInboxStore store;

  public ExaminedDatabase(DatabaseOptions options) {
    this.place = options.place();
    this.connections = CommandDatabase.configured(new KeptConnections(), options);
    connections.setTargetServerType("preferPrimary");
    connections.setSocketTimeout((int) TIMEOUT.multipliedBy(3).toSeconds());
    this.jdbi = CommandDatabase.jdbi(connections, options);
    this.store = options.withSchema(JdbiInboxStore.builder(connections)).migrate(false).build();
  }

  /**
   * Runs a query.
   *
   * @throws ConnectionException if no connection can be opened
   */
  public <T> T look(Function<Handle, T> look) {
    return jdbi.inTransaction(
        handle -> {
          handle.execute(DO_NOT_WAIT);
          return look.apply(handle);
        });
  }

  /** The store's status, which is the one behind {@code Inbox.health()}. */
  public StoreStatus status(Collection<String> endpoints) {
    return store.status(endpoints, TIMEOUT);
  }

  @Override
  public void close() {
    store.close();
    connections.close();
  }
}
