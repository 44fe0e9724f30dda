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
 * The database as the doctor looks at it, whatever state it is in: by one connection, which is
 * opened anew if it is lost, in looks that end soon and wait for nobody's locks. A server that is
 * read-only will do.
 */
public final class ExaminedDatabase implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  public final String place;
  private final KeptConnections connections;
  private final Jdbi jdbi;
  private final JdbiInboxStore store;

  public ExaminedDatabase(DatabaseOptions options) {
    this.place = options.place();
    this.connections = CommandDatabase.configured(new KeptConnections(), options);
    connections.setTargetServerType("preferPrimary");
    connections.setSocketTimeout((int) TIMEOUT.multipliedBy(3).toSeconds());
    this.jdbi = Jdbi.create(connections);
    this.store = JdbiInboxStore.builder(connections).migrate(false).build();
  }

  /**
   * Takes a look.
   *
   * @throws ConnectionException if there is no connection to be had
   */
  public <T> T look(Function<Handle, T> look) {
    return jdbi.inTransaction(
        handle -> {
          handle.execute(OperatorSql.DO_NOT_WAIT);
          return look.apply(handle);
        });
  }

  /** What the store says about itself, as {@code Inbox.health()} asks it. */
  public StoreStatus status(Collection<String> endpoints) {
    return store.status(endpoints, TIMEOUT);
  }

  @Override
  public void close() {
    store.close();
    connections.close();
  }
}
