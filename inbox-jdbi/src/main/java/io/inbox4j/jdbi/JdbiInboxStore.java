package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.InboxException;
import io.inbox4j.jdbi.Announcements.Announcement;
import io.inbox4j.operations.Backlog;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.receive.Arrival;
import io.inbox4j.store.Fault;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.Receipt;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.Vitals;
import io.inbox4j.store.WorkTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.jdbc.PreferQueryMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inbox in PostgreSQL.
 *
 * <p>Handlers get at their transaction with {@code context.unwrap(Handle.class)} or {@code
 * context.unwrap(Connection.class)}. Every worker, every consumer, the listening for notifications
 * and the watch over its health need a connection each, and looks at the quarantine one now and
 * then.
 */
public final class JdbiInboxStore implements InboxStore {

  private static final Logger log = LoggerFactory.getLogger(JdbiInboxStore.class);

  private static final Duration PATIENCE_WITH_THE_POOL = Duration.ofSeconds(2);

  private final Sessions connections;
  private final Jdbi jdbi;
  private final @Nullable HikariDataSource ownPool;
  private final boolean migrate;
  private final long idleTimeoutMillis;
  private final Announcements announcements;
  private final Operations operations;
  private final Readmission readmission;
  private final VitalSigns vitalSigns;
  private final JdbiJanitor janitor;
  private final HandlerJdbi handlerJdbi;
  private final HandlerSessions sessions;
  private final Map<ClaimKind, ClaimCursor> cursors = new ConcurrentHashMap<>();

  /** Claims of different types leave off at different places. */
  private record ClaimKind(String endpoint, Set<String> types) {}

  JdbiInboxStore(JdbiInboxStoreBuilder builder) {
    this.connections = new Sessions(new OwnTransactions(builder.dataSource()));
    this.jdbi = Jdbi.create(connections);
    this.ownPool = builder.ownPool();
    this.migrate = builder.migrate();
    this.idleTimeoutMillis = builder.idleTimeout().toMillis();
    this.announcements =
        new Announcements(jdbi, builder.notifies(), listening(builder, connections));
    this.operations = new Operations(jdbi);
    this.readmission = new Readmission(jdbi, announcements);
    this.vitalSigns = new VitalSigns(jdbi);
    this.janitor = new JdbiJanitor(jdbi);
    this.sessions = new HandlerSessions(builder.dataSource(), connections);
    this.handlerJdbi = new HandlerJdbi(builder.handlerConfiguration());
  }

  private Listening listening(JdbiInboxStoreBuilder builder, Sessions sessions) {
    DataSource own = builder.notificationsFrom();
    return own == null
        ? Listening.onOwn(jdbi, sessions)
        : Listening.on(Jdbi.create(new OwnTransactions(own)), jdbi);
  }

  /**
   * A store on the user's own data source, which stays open when the store is closed. It creates
   * its tables when it is opened.
   *
   * <p>If the data source lends the connection of a transaction that the calling thread is in, as
   * Spring's {@code TransactionAwareDataSourceProxy} does, a call takes part in that transaction.
   */
  public static JdbiInboxStore create(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /** A store with a connection pool of its own, set up to notice a lost or failed-over server. */
  public static JdbiInboxStore connect(String jdbcUrl) {
    return builder(jdbcUrl).build();
  }

  /** A store on the user's own data source, with options. */
  public static JdbiInboxStoreBuilder builder(DataSource dataSource) {
    return new JdbiInboxStoreBuilder(dataSource, null);
  }

  /** A store with a connection pool of its own, with options. */
  public static JdbiInboxStoreBuilder builder(String jdbcUrl) {
    HikariDataSource pool = ConnectionPool.of(jdbcUrl);
    return new JdbiInboxStoreBuilder(pool, pool);
  }

  /** The version of the tables that this library needs. */
  public static int schemaVersion() {
    return Migrations.newest();
  }

  /** Creates or upgrades the tables, for a deployment whose services may not. */
  public static void migrate(DataSource dataSource) {
    Faults.translate(
        () -> {
          new Migrations(Jdbi.create(new Sessions(new OwnTransactions(dataSource)))).apply();
          return true;
        });
  }

  @Override
  public void open() {
    Faults.translate(
        () -> {
          jdbi.useHandle(JdbiInboxStore::checkProtocol);
          Migrations migrations = new Migrations(jdbi);
          if (migrate) {
            migrations.apply();
          }
          migrations.check();
          jdbi.useHandle(JdbiInboxStore::checkDurability);
          connections.learnWhetherShared();
          return true;
        });
  }

  /** Batches are sent in arrays, and those have types in the extended protocol only. */
  private static void checkProtocol(Handle handle) {
    if (protocolOf(handle.getConnection()) == PreferQueryMode.SIMPLE) {
      throw new InboxException(
          "the connections to the database have preferQueryMode=simple, by which batches cannot be"
              + " sent; expected extended, which is the default");
    }
  }

  /** The server would answer a commit before it is safe, and messages are acknowledged by that. */
  private static void checkDurability(Handle handle) {
    if (handle.createQuery(Sql.SYNCHRONOUS_COMMIT).mapTo(String.class).one().equals("off")) {
      log.warn(
          "synchronous_commit is off: a crash of the database loses messages that were acknowledged"
              + " and effects that were committed; set it to on for this role, by ALTER ROLE … SET"
              + " synchronous_commit = on");
    }
  }

  private static PreferQueryMode protocolOf(Connection connection) {
    try {
      return connection.isWrapperFor(PGConnection.class)
          ? connection.unwrap(PGConnection.class).getPreferQueryMode()
          : PreferQueryMode.EXTENDED;
    } catch (SQLException e) {
      throw Faults.translated(e);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Mostly there is nothing but events. They take one statement, which is a transaction of its
   * own: one round trip.
   */
  @Override
  public List<Receipt> receive(String endpoint, List<Arrival> batch) {
    Announcement announcement = announcements.of(endpoint);
    try {
      return receive(endpoint, batch, announcement);
    } catch (StoreUnavailableException e) {
      if (!announcement.goesAlong() || !Faults.isLimit(e)) {
        throw e;
      }
      announcements.refused(e); // others find by themselves what could not be stored with a word
      return receive(endpoint, batch, announcements.of(endpoint));
    }
  }

  private List<Receipt> receive(String endpoint, List<Arrival> batch, Announcement announcement) {
    return batch.stream().allMatch(Arrival.Event.class::isInstance)
        ? receiveEvents(endpoint, batch, announcement)
        : receiveInTransaction(endpoint, batch, announcement);
  }

  private List<Receipt> receiveEvents(
      String endpoint, List<Arrival> events, Announcement announcement) {
    List<Receipt> receipts =
        Faults.translate(
            () ->
                jdbi.withHandle(
                    handle -> {
                      try {
                        return Receiving.store(
                            handle, endpoint, events, announcement, sequence -> {});
                      } catch (RuntimeException e) {
                        if (Faults.isReadOnly(e)) { // of a server that is none any more, say
                          sessions.discard(handle.getConnection());
                        }
                        throw e;
                      }
                    }));
    if (receipts.stream().anyMatch(Receiving::isToHandle)) {
      announcement.committed();
    }
    return receipts;
  }

  private List<Receipt> receiveInTransaction(
      String endpoint, List<Arrival> batch, Announcement announcement) {
    try (WorkTransaction transaction = begin(endpoint, announcement)) {
      List<Receipt> receipts = transaction.receive(batch);
      transaction.commit(List.of());
      return receipts;
    }
  }

  @Override
  public WorkTransaction begin(String endpoint) {
    return begin(endpoint, announcements.of(endpoint));
  }

  private WorkTransaction begin(String endpoint, Announcement announcement) {
    return Faults.translate(
        () -> {
          Handle handle = jdbi.open();
          try {
            return new JdbiWorkTransaction(
                endpoint,
                handle,
                types -> cursorOf(endpoint, types),
                idleTimeoutMillis,
                handlerJdbi,
                sessions,
                announcement);
          } catch (Throwable e) { // the connection would be lost to the pool
            handle.close();
            throw e;
          }
        });
  }

  private ClaimCursor cursorOf(String endpoint, Set<String> types) {
    return cursors.computeIfAbsent(new ClaimKind(endpoint, types), kind -> new ClaimCursor());
  }

  @Override
  public boolean noteAlone(long sequence, Duration holdBack) {
    return Faults.translate(
            () ->
                jdbi.withHandle(
                    handle ->
                        handle
                            .createUpdate(Sql.NOTE_ALONE)
                            .bind("seq", sequence)
                            .bind("holdBack", new Interval(holdBack))
                            .execute()))
        == 1;
  }

  @Override
  public void takeBack(List<Long> sequences) {
    Faults.translate(
        () -> jdbi.withHandle(handle -> JdbiWorkTransaction.takeBack(handle, sequences)));
  }

  @Override
  public Set<Lease> renew(Collection<Lease> leases, Duration time) {
    return Faults.translate(() -> jdbi.inTransaction(handle -> Leases.renew(handle, leases, time)));
  }

  @Override
  public void giveBack(Collection<Lease> leases) {
    Faults.translate(() -> jdbi.inTransaction(handle -> Leases.giveBack(handle, leases)));
  }

  @Override
  public void pause(String endpoint, String by, String reason) {
    Faults.translate(() -> operations.pause(endpoint, by, reason));
  }

  @Override
  public void resume(String endpoint) {
    Faults.translate(() -> operations.resume(endpoint));
  }

  @Override
  public @Nullable Pause pauseOf(String endpoint) {
    return Faults.translate(() -> operations.pauseOf(endpoint)).orElse(null);
  }

  @Override
  public Vitals vitals(Collection<String> endpoints, Duration timeout) {
    return Faults.translate(() -> vitalSigns.take(endpoints, timeout));
  }

  @Override
  public Backlog backlog(String endpoint) {
    return Faults.translate(() -> jdbi.inTransaction(handle -> Backlogs.of(handle, endpoint)));
  }

  @Override
  public Fault faultOf(Throwable failure) {
    return Faults.of(failure);
  }

  @Override
  public String namesIn(Throwable failure) {
    return failure instanceof SQLException sql ? SqlErrorNames.in(sql) : "";
  }

  @Override
  public Watch watch(Consumer<String> stored, Runnable missed) {
    return announcements.watch(stored, missed);
  }

  @Override
  public List<DeadMessage> listDead(MessageFilter filter, int limit) {
    return Faults.translate(() -> operations.listDead(filter, limit));
  }

  @Override
  public List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    return Faults.translate(() -> operations.replayDead(filter, by, after, limit));
  }

  @Override
  public List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    return Faults.translate(() -> operations.discardDead(filter, by, after, limit));
  }

  @Override
  public List<PendingMessage> listPending(MessageFilter filter, int limit) {
    return Faults.translate(() -> operations.listPending(filter, limit));
  }

  @Override
  public PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    return Faults.translate(() -> operations.expeditePending(filter, by, after, limit));
  }

  @Override
  public PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    return Faults.translate(() -> operations.discardPending(filter, by, after, limit));
  }

  @Override
  public List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit) {
    return Faults.translate(() -> readmission.entries(filter, after, limit));
  }

  @Override
  public List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit) {
    return Faults.translate(() -> readmission.list(filter, after, limit));
  }

  @Override
  public ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, Arrival> check) {
    return Faults.translate(() -> readmission.replay(filter, by, after, limit, check));
  }

  @Override
  public ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, Arrival> check) {
    return Faults.translate(() -> readmission.adopt(endpoint, types, by, after, limit, check));
  }

  @Override
  public List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit) {
    return Faults.translate(() -> operations.discardQuarantined(filter, by, after, limit));
  }

  @Override
  public List<Intervention> interventions(
      Intervention.Origin origin, MessageFilter filter, int limit) {
    return Faults.translate(() -> operations.interventions(origin, filter, limit));
  }

  @Override
  public void declareRetention(Collection<String> endpoints, Retention retention) {
    Faults.translate(
        () -> jdbi.withHandle(handle -> RetentionPolicies.declare(handle, endpoints, retention)));
  }

  @Override
  public Map<String, Retention> declaredRetention() {
    return Faults.translate(() -> jdbi.withHandle(RetentionPolicies.declared()::longest));
  }

  /**
   * {@inheritDoc}
   *
   * <p>It uses one connection while it runs. A role that owns the tables creates a partition a day
   * and drops it as a whole; any other removes row by row.
   */
  @Override
  public RetentionReport retain(Predicate<RetentionReport> goOn) {
    return Faults.translate(() -> janitor.run(RetentionPolicies.declared(), goOn));
  }

  @Override
  public RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn) {
    if (retention.isForever()) {
      throw new IllegalArgumentException(
          "messages are kept for ever; expected for example Retention.days(7)");
    }
    RetentionPolicies policies = new RetentionPolicies(Set.copyOf(endpoints), retention, force);
    return Faults.translate(() -> janitor.run(policies, goOn));
  }

  /**
   * Closes the connection pool if it is the store's own. A pool that is just connecting to a server
   * that does not answer is left to end by itself, which takes it up to 20 seconds.
   */
  @Override
  public void close() {
    announcements.close();
    if (ownPool == null) {
      return;
    }
    Thread closer = new Thread(ownPool::close, "inbox-close-pool");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(PATIENCE_WITH_THE_POOL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
