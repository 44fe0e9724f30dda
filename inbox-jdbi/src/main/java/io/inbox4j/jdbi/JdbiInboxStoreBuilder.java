package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.internal.DurationRange;
import io.inbox4j.jdbi.internal.connect.AutoCommitConnections;
import io.inbox4j.jdbi.internal.connect.BorrowedJdbi;
import io.inbox4j.jdbi.internal.connect.ConnectionPool;
import io.inbox4j.jdbi.internal.connect.HandlerJdbi;
import io.inbox4j.jdbi.internal.connect.JdbiConnections;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The options of a {@link JdbiInboxStore}. */
public final class JdbiInboxStoreBuilder {

  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(1);

  private static final DurationRange IDLE_TIMEOUTS =
      new DurationRange(Duration.ofMillis(100), Duration.ofDays(1));

  private final @Nullable DataSource dataSource;
  private final @Nullable HikariDataSource ownPool;
  private final @Nullable Jdbi borrowed;
  private @Nullable String schema;
  private boolean migrate = true;
  private boolean notifies = true;
  private @Nullable DataSource notificationsFrom;
  private Duration idleTimeout = DEFAULT_IDLE_TIMEOUT;
  private Consumer<Jdbi> handlerConfiguration = jdbi -> {};

  JdbiInboxStoreBuilder(DataSource dataSource, @Nullable HikariDataSource ownPool) {
    this.dataSource = dataSource;
    this.ownPool = ownPool;
    this.borrowed = null;
  }

  JdbiInboxStoreBuilder(Jdbi borrowed) {
    this.dataSource = null;
    this.ownPool = null;
    this.borrowed = borrowed;
  }

  /**
   * The schema of the inbox's tables; it is created with them if it is missing and the role may.
   * Inboxes in different schemas of a database are independent of each other. Lower-case letters,
   * digits and underscores, at most 63. Defaults to the schema on the connections' search path that
   * has the tables or, if none has, the current one; that is determined once.
   */
  public JdbiInboxStoreBuilder schema(String name) {
    this.schema = InboxSchema.checked(name);
    return this;
  }

  /**
   * Whether the store creates and upgrades its tables when it is opened; otherwise it only checks
   * them. Defaults to true.
   */
  public JdbiInboxStoreBuilder migrate(boolean migrate) {
    this.migrate = migrate;
    return this;
  }

  /**
   * Whether processes tell each other about stored messages with NOTIFY, after the commit. Without
   * it, workers in other processes find messages by polling. Defaults to true.
   */
  public JdbiInboxStoreBuilder notifications(boolean enabled) {
    this.notifies = enabled;
    return this;
  }

  /**
   * Listens for notifications on a connection to this URL instead of one of the store's own. It
   * must lead to the same database and must not go through a pooler that shares sessions, such as
   * PgBouncer in transaction mode: no notification arrives through one, and workers find messages
   * by polling. Defaults to the store's own connections.
   */
  public JdbiInboxStoreBuilder notificationsFrom(String jdbcUrl) {
    return notificationsFrom(ConnectionPool.single(jdbcUrl));
  }

  /** Listens for notifications on one connection of this data source, which is kept open. */
  public JdbiInboxStoreBuilder notificationsFrom(DataSource direct) {
    this.notificationsFrom = direct;
    return this;
  }

  /**
   * How long a handler may leave its transaction idle before the server ends the transaction and
   * releases its messages; this bounds the effect of a frozen process. 100 ms to 1 day; defaults to
   * 1 min.
   */
  public JdbiInboxStoreBuilder idleTimeout(Duration timeout) {
    this.idleTimeout = IDLE_TIMEOUTS.check("idleTimeout", timeout);
    return this;
  }

  /**
   * Maximum size of the store's own pool: one connection for every worker and consumer, and two
   * more. Defaults to 20.
   */
  public JdbiInboxStoreBuilder poolSize(int connections) {
    if (ownPool == null) {
      throw new IllegalArgumentException(
          "poolSize is %d, but the pool is not the store's own; set the size there"
              .formatted(connections));
    }
    if (connections < 2) {
      throw new IllegalArgumentException(
          "poolSize is %d; expected 2 or more".formatted(connections));
    }
    ownPool.setMaximumPoolSize(connections);
    return this;
  }

  /**
   * Configures the JDBI instance that handlers get: plugins, mappers. Defaults to no configuration;
   * a store on the caller's {@link Jdbi} has that one's, and refuses another.
   */
  public JdbiInboxStoreBuilder jdbi(Consumer<Jdbi> configuration) {
    if (borrowed != null) {
      throw new IllegalArgumentException(
          "jdbi(…) is called for a store on a Jdbi of your own; configure that one");
    }
    this.handlerConfiguration = configuration;
    return this;
  }

  public JdbiInboxStore build() {
    return new JdbiInboxStore(this);
  }

  /** The pool, unless the store borrows connections from a {@link Jdbi}. */
  @Nullable DataSource dataSource() {
    return dataSource;
  }

  AutoCommitConnections connections() {
    return borrowed == null
        ? new AutoCommitConnections(Objects.requireNonNull(dataSource))
        : new AutoCommitConnections(new JdbiConnections(borrowed), borrowed);
  }

  /** Opens the handles that handlers get. */
  Function<Connection, Handle> handlerHandles() {
    return borrowed == null
        ? new HandlerJdbi(handlerConfiguration)::open
        : new BorrowedJdbi(borrowed)::open;
  }

  @Nullable HikariDataSource ownPool() {
    return ownPool;
  }

  @Nullable String schema() {
    return schema;
  }

  boolean migrate() {
    return migrate;
  }

  boolean notifies() {
    return notifies;
  }

  @Nullable DataSource notificationsFrom() {
    return notificationsFrom;
  }

  Duration idleTimeout() {
    return idleTimeout;
  }
}
