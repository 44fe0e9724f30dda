package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.internal.DurationRange;
import io.inbox4j.jdbi.internal.connect.ConnectionPool;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The options of a {@link JdbiInboxStore}. */
public final class JdbiInboxStoreBuilder {

  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(1);

  private static final DurationRange IDLE_TIMEOUTS =
      new DurationRange(Duration.ofMillis(100), Duration.ofDays(1));

  private final DataSource dataSource;
  private final @Nullable HikariDataSource ownPool;
  private boolean migrate = true;
  private boolean notifies = true;
  private @Nullable DataSource notificationsFrom;
  private Duration idleTimeout = DEFAULT_IDLE_TIMEOUT;
  private Consumer<Jdbi> handlerConfiguration = jdbi -> {};

  JdbiInboxStoreBuilder(DataSource dataSource, @Nullable HikariDataSource ownPool) {
    this.dataSource = dataSource;
    this.ownPool = ownPool;
  }

  /**
   * Whether the store creates and upgrades its tables when it is opened; if not, it only checks
   * them. Defaults to true.
   */
  public JdbiInboxStoreBuilder migrate(boolean migrate) {
    this.migrate = migrate;
    return this;
  }

  /**
   * Whether processes tell each other of stored messages by NOTIFY, once for each batch. Without it
   * workers of other processes find messages by polling. Defaults to true.
   */
  public JdbiInboxStoreBuilder notifications(boolean enabled) {
    this.notifies = enabled;
    return this;
  }

  /**
   * Listens for notifications on a connection to this URL, in place of one of the store's own. It
   * has to lead to the same database without a pooler that shares sessions, such as PgBouncer in
   * transaction mode: through that nothing is heard, and workers find messages by polling. Defaults
   * to the store's own connections.
   */
  public JdbiInboxStoreBuilder notificationsFrom(String jdbcUrl) {
    return notificationsFrom(ConnectionPool.single(jdbcUrl));
  }

  /** The same with a data source, of which it takes one connection and keeps it. */
  public JdbiInboxStoreBuilder notificationsFrom(DataSource direct) {
    this.notificationsFrom = direct;
    return this;
  }

  /**
   * How long a handler may do nothing in its transaction before the server ends it and frees its
   * messages; this bounds a frozen process. 100 ms to 1 day; defaults to 1 min.
   */
  public JdbiInboxStoreBuilder idleTimeout(Duration timeout) {
    this.idleTimeout = IDLE_TIMEOUTS.check("idleTimeout", timeout);
    return this;
  }

  /**
   * How many connections the store's own pool has at most: one for every worker and consumer, and
   * two more. Defaults to 20.
   */
  public JdbiInboxStoreBuilder poolSize(int connections) {
    if (ownPool == null) {
      throw new IllegalArgumentException(
          "poolSize is %d, but the data source is not the store's own; set the size there"
              .formatted(connections));
    }
    if (connections < 2) {
      throw new IllegalArgumentException(
          "poolSize is %d; expected 2 or more".formatted(connections));
    }
    ownPool.setMaximumPoolSize(connections);
    return this;
  }

  /** Configures the JDBI that handlers get: plugins, mappers. Defaults to nothing. */
  public JdbiInboxStoreBuilder jdbi(Consumer<Jdbi> configuration) {
    this.handlerConfiguration = configuration;
    return this;
  }

  public JdbiInboxStore build() {
    return new JdbiInboxStore(this);
  }

  DataSource dataSource() {
    return dataSource;
  }

  @Nullable HikariDataSource ownPool() {
    return ownPool;
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

  Consumer<Jdbi> handlerConfiguration() {
    return handlerConfiguration;
  }
}
