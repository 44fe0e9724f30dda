package io.inbox4j.jdbi;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.error.InboxException;
import io.inbox4j.internal.loop.Deadline;
import io.inbox4j.jdbi.internal.connect.AutoCommitConnections;
import io.inbox4j.jdbi.internal.connect.ConnectionPool;
import io.inbox4j.jdbi.internal.connect.PoolerAwareConnections;
import io.inbox4j.jdbi.internal.guard.SessionCleaner;
import io.inbox4j.jdbi.internal.notify.ListenConnection;
import io.inbox4j.jdbi.internal.notify.NotifySender;
import io.inbox4j.jdbi.internal.operate.BacklogQuery;
import io.inbox4j.jdbi.internal.operate.HistoryStatements;
import io.inbox4j.jdbi.internal.operate.OperatorStatements;
import io.inbox4j.jdbi.internal.operate.ProcessStatements;
import io.inbox4j.jdbi.internal.operate.QuarantineReplay;
import io.inbox4j.jdbi.internal.operate.StatusQuery;
import io.inbox4j.jdbi.internal.outbox.JdbiOutbox;
import io.inbox4j.jdbi.internal.outbox.JdbiOutboxReader;
import io.inbox4j.jdbi.internal.outbox.OutboxStatements;
import io.inbox4j.jdbi.internal.receive.MessageInserts;
import io.inbox4j.jdbi.internal.retain.JdbiRetention;
import io.inbox4j.jdbi.internal.retain.RetentionPolicies;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.LaneSql;
import io.inbox4j.jdbi.internal.sql.Migrations;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.RoleRights;
import io.inbox4j.jdbi.internal.sql.SessionSql;
import io.inbox4j.jdbi.internal.sql.SqlErrorNames;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.jdbi.internal.work.JdbiWorkTransaction;
import io.inbox4j.jdbi.internal.work.LaneCursor;
import io.inbox4j.jdbi.internal.work.LeaseStatements;
import io.inbox4j.jdbi.internal.work.WorkSql;
import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.operations.Pause;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.QuarantineEntry;
import io.inbox4j.operations.QuarantinedMessage;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import io.inbox4j.store.FailureKind;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Lease;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.store.StoreResult;
import io.inbox4j.store.StoreStatus;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.store.WorkTransaction;
import io.inbox4j.transport.ValidatedDelivery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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
 * An {@link InboxStore} on PostgreSQL.
 *
 * <p>Handlers reach their transaction with {@code context.unwrap(Handle.class)} or {@code
 * context.unwrap(Connection.class)}. Every worker, every consumer, the notification listener and
 * the health check need one connection each; sending notifications and reading the quarantine need
 * another one now and then.
 */
public final class JdbiInboxStore implements InboxStore {

  private static final Logger log = LoggerFactory.getLogger(JdbiInboxStore.class);

  private static final Duration PATIENCE_WITH_THE_POOL = Duration.ofSeconds(2);

  private final PoolerAwareConnections connections;
  private final InboxSchema schema;
  private final Jdbi jdbi;
  private final @Nullable HikariDataSource ownPool;
  private final boolean migrate;
  private final WorkSql workSql;
  private final NotifySender notifySender;
  private final OperatorStatements operations;
  private final QuarantineReplay quarantineReplay;
  private final StatusQuery statusQuery;
  private final ProcessStatements processes;
  private final JdbiRetention retentionRuns;
  private final JdbiOutbox outbox;
  private final OutboxStatements outboxStatements;
  private final Function<Connection, Handle> handlerHandles;
  private final SessionCleaner sessions;
  private final Map<ClaimKind, LaneCursor> cursors = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Identifies a {@link LaneCursor}: claims for different sets of types resume at different
   * positions.
   */
  private record ClaimKind(String endpoint, Set<String> types) {}

  JdbiInboxStore(JdbiInboxStoreBuilder builder) {
    this.connections = new PoolerAwareConnections(builder.connections());
    this.schema = InboxSchema.of(builder.schema());
    this.jdbi = Jdbi.create(connections).setTemplateEngine(schema);
    this.ownPool = builder.ownPool();
    this.migrate = builder.migrate();
    this.workSql = new WorkSql(schema, builder.idleTimeout().toMillis());
    this.notifySender = new NotifySender(jdbi, builder.notifies(), listening(builder, connections));
    this.operations = new OperatorStatements(jdbi);
    this.quarantineReplay = new QuarantineReplay(jdbi, notifySender);
    this.statusQuery = new StatusQuery(jdbi);
    this.processes = new ProcessStatements(jdbi);
    this.retentionRuns = new JdbiRetention(jdbi);
    this.outbox = new JdbiOutbox(jdbi, schema, notifySender);
    this.outboxStatements = new OutboxStatements(jdbi);
    this.sessions = new SessionCleaner(builder.dataSource(), connections);
    this.handlerHandles = builder.handlerHandles();
  }

  private ListenConnection listening(
      JdbiInboxStoreBuilder builder, PoolerAwareConnections sessions) {
    DataSource own = builder.notificationsFrom();
    return own == null
        ? ListenConnection.onOwn(jdbi, sessions)
        : ListenConnection.on(
            Jdbi.create(new AutoCommitConnections(own)).setTemplateEngine(schema), jdbi);
  }

  /**
   * Creates a store on the caller's data source, which stays open when the store is closed. The
   * store creates its tables when it is opened.
   *
   * <p>If the data source hands out the connection of a transaction that the calling thread is
   * already in, as Spring's {@code TransactionAwareDataSourceProxy} does, a call takes part in that
   * transaction.
   */
  public static JdbiInboxStore create(DataSource dataSource) {
    return builder(dataSource).build();
  }

  /**
   * Creates a store on the connections of the caller's {@link Jdbi}, which is not changed. Handlers
   * that ask for a {@link Handle} get one of it: with its configuration, as mappers and arguments
   * and what plugins have set. A plugin's {@code customizeHandle} is not called.
   */
  public static JdbiInboxStore create(Jdbi jdbi) {
    return builder(jdbi).build();
  }

  /**
   * Creates a store with its own connection pool, configured to detect a lost or failed-over
   * server.
   */
  public static JdbiInboxStore connect(String jdbcUrl) {
    return builder(jdbcUrl).build();
  }

  /** Returns a builder for a store on the caller's data source. */
  public static JdbiInboxStoreBuilder builder(DataSource dataSource) {
    return new JdbiInboxStoreBuilder(dataSource, null);
  }

  /** Returns a builder for a store on the connections of the caller's {@link Jdbi}. */
  public static JdbiInboxStoreBuilder builder(Jdbi jdbi) {
    return new JdbiInboxStoreBuilder(jdbi);
  }

  /** Returns a builder for a store with its own connection pool. */
  public static JdbiInboxStoreBuilder builder(String jdbcUrl) {
    HikariDataSource pool = ConnectionPool.of(jdbcUrl);
    return new JdbiInboxStoreBuilder(pool, pool);
  }

  /** The schema version that this library requires. */
  public static int schemaVersion() {
    return Migrations.newest();
  }

  /**
   * Creates or upgrades the tables, for deployments whose services lack the privileges to do so.
   */
  public static void migrate(DataSource dataSource) {
    migrate(builder(dataSource));
  }

  /** Creates or upgrades the tables in this schema, and the schema itself if it is missing. */
  public static void migrate(DataSource dataSource, String schema) {
    migrate(builder(dataSource).schema(schema));
  }

  private static void migrate(JdbiInboxStoreBuilder builder) {
    try (JdbiInboxStore store = builder.build()) {
      SqlErrors.translate(
          () -> {
            new Migrations(store.jdbi, store.schema, () -> store.closed).apply();
            return true;
          });
    }
  }

  @Override
  public void open() {
    SqlErrors.translate(
        () -> {
          jdbi.useHandle(JdbiInboxStore::checkProtocol);
          Migrations migrations = new Migrations(jdbi, schema, () -> closed);
          if (migrate) {
            migrations.apply();
          }
          migrations.check();
          jdbi.useHandle(
              handle -> {
                RoleRights.check(handle, schema);
                checkDurability(handle);
              });
          connections.learnWhetherShared();
          return true;
        });
  }

  /**
   * Rejects the simple query protocol: batches are sent as arrays, which are typed only in the
   * extended one.
   */
  private static void checkProtocol(Handle handle) {
    if (protocolOf(handle.getConnection()) == PreferQueryMode.SIMPLE) {
      throw new InboxException(
          "the connections to the database have preferQueryMode=simple, by which batches cannot be"
              + " sent; expected extended, which is the default");
    }
  }

  /**
   * Warns if {@code synchronous_commit} is off: the server then confirms commits before they are
   * durable, and messages are acknowledged on that confirmation.
   */
  private static void checkDurability(Handle handle) {
    if (handle.createQuery(SessionSql.SYNCHRONOUS_COMMIT).mapTo(String.class).one().equals("off")) {
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
      throw SqlErrors.translated(e);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A batch usually contains nothing but events. Those take a single statement, which is its own
   * transaction: one round trip.
   */
  @Override
  public List<StoreResult> receive(String endpoint, List<ValidatedDelivery> batch) {
    return batch.stream().allMatch(ValidatedDelivery.Event.class::isInstance)
        ? SqlErrors.translate(
            () -> jdbi.withHandle(handle -> receiveEvents(handle, endpoint, batch)))
        : receiveInTransaction(endpoint, batch);
  }

  private List<StoreResult> receiveEvents(
      Handle handle, String endpoint, List<ValidatedDelivery> events) {
    Connection connection = handle.getConnection();
    try {
      List<StoreResult> receipts =
          MessageInserts.store(
              handle,
              endpoint,
              events,
              notifySender.inTransaction(connection, endpoint),
              sequence -> {});
      if (receipts.stream().anyMatch(MessageInserts::isToHandle)) {
        notifySender.committed(connection, endpoint);
      }
      return receipts;
    } catch (RuntimeException e) {
      if (SqlErrors.isReadOnly(e)) { // a demoted primary, for example
        sessions.discard(connection);
      }
      throw e;
    }
  }

  private List<StoreResult> receiveInTransaction(String endpoint, List<ValidatedDelivery> batch) {
    try (WorkTransaction transaction = begin(endpoint)) {
      List<StoreResult> receipts = transaction.receive(batch);
      transaction.commit(List.of());
      return receipts;
    }
  }

  @Override
  public WorkTransaction begin(String endpoint) {
    return SqlErrors.translate(
        () -> {
          Handle handle = jdbi.open();
          try {
            return new JdbiWorkTransaction(
                endpoint,
                handle,
                types -> cursorOf(endpoint, types),
                workSql,
                handlerHandles,
                sessions,
                notifySender,
                outbox);
          } catch (Throwable e) { // otherwise the connection would leak from the pool
            handle.close();
            throw e;
          }
        });
  }

  private LaneCursor cursorOf(String endpoint, Set<String> types) {
    return cursors.computeIfAbsent(new ClaimKind(endpoint, types), kind -> new LaneCursor());
  }

  @Override
  public boolean markCrashRiskAlone(long sequence, Duration holdBack) {
    return SqlErrors.translate(
        () ->
            jdbi.inTransaction(
                handle -> LeaseStatements.markCrashRiskAlone(handle, sequence, holdBack)));
  }

  @Override
  public void clearCrashRisk(List<Long> sequences) {
    SqlErrors.translate(
        () -> jdbi.withHandle(handle -> JdbiWorkTransaction.clearCrashRisk(handle, sequences)));
  }

  @Override
  public Set<Lease> renew(Collection<Lease> leases, Duration time) {
    return SqlErrors.translate(
        () -> jdbi.inTransaction(handle -> LeaseStatements.renew(handle, leases, time)));
  }

  @Override
  public void release(Collection<Lease> leases) {
    SqlErrors.translate(
        () -> jdbi.inTransaction(handle -> LeaseStatements.release(handle, leases)));
  }

  @Override
  public void pause(String endpoint, String by, String reason) {
    SqlErrors.translate(() -> operations.pause(endpoint, by, reason));
  }

  @Override
  public void resume(String endpoint) {
    SqlErrors.translate(() -> operations.resume(endpoint));
  }

  @Override
  public @Nullable Pause pauseOf(String endpoint) {
    return SqlErrors.translate(() -> operations.pauseOf(endpoint)).orElse(null);
  }

  @Override
  public StoreStatus status(Collection<String> endpoints, Duration timeout) {
    return SqlErrors.translate(() -> statusQuery.take(endpoints, timeout));
  }

  @Override
  public Set<String> dueAt(Collection<String> endpoints) {
    return SqlErrors.translate(
        () ->
            jdbi.inTransaction(
                handle -> {
                  handle.execute(SessionSql.BY_INDEX);
                  return Set.copyOf(
                      handle
                          .createQuery(LaneSql.DUE_AT)
                          .bind("endpoints", PgArray.texts(List.copyOf(endpoints), it -> it))
                          .mapTo(String.class)
                          .list());
                }));
  }

  @Override
  public Backlog backlog(String endpoint) {
    return SqlErrors.translate(
        () -> jdbi.inTransaction(handle -> BacklogQuery.of(handle, endpoint)));
  }

  @Override
  public FailureKind failureKind(Throwable failure) {
    return SqlErrors.of(failure);
  }

  @Override
  public String namesIn(Throwable failure) {
    return failure instanceof SQLException sql ? SqlErrorNames.in(sql) : "";
  }

  @Override
  public Watch watch(Consumer<String> stored, Runnable missed) {
    return notifySender.watch(stored, missed);
  }

  @Override
  public List<DeadMessage> listDead(MessageFilter filter, int limit) {
    return SqlErrors.translate(() -> operations.listDead(filter, limit));
  }

  @Override
  public List<DeadMessage> replayDead(MessageFilter filter, String by, long after, int limit) {
    return SqlErrors.translate(() -> operations.replayDead(filter, by, after, limit));
  }

  @Override
  public List<DeadMessage> discardDead(MessageFilter filter, String by, long after, int limit) {
    return SqlErrors.translate(() -> operations.discardDead(filter, by, after, limit));
  }

  @Override
  public List<PendingMessage> listPending(MessageFilter filter, int limit) {
    return SqlErrors.translate(() -> operations.listPending(filter, limit));
  }

  @Override
  public PendingPage expeditePending(MessageFilter filter, String by, long after, int limit) {
    return SqlErrors.translate(() -> operations.expeditePending(filter, by, after, limit));
  }

  @Override
  public PendingPage discardPending(MessageFilter filter, String by, long after, int limit) {
    return SqlErrors.translate(() -> operations.discardPending(filter, by, after, limit));
  }

  @Override
  public List<QuarantineEntry> listQuarantineEntries(MessageFilter filter, long after, int limit) {
    return SqlErrors.translate(() -> quarantineReplay.entries(filter, after, limit));
  }

  @Override
  public List<QuarantinedMessage> listQuarantined(MessageFilter filter, long after, int limit) {
    return SqlErrors.translate(() -> quarantineReplay.list(filter, after, limit));
  }

  @Override
  public ReplayPage replayQuarantined(
      MessageFilter filter,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return SqlErrors.translate(() -> quarantineReplay.replay(filter, by, after, limit, check));
  }

  @Override
  public ReplayPage adoptQuarantined(
      String endpoint,
      Set<String> types,
      String by,
      long after,
      int limit,
      Function<QuarantinedMessage, ValidatedDelivery> check) {
    return SqlErrors.translate(
        () -> quarantineReplay.adopt(endpoint, types, by, after, limit, check));
  }

  @Override
  public List<Long> discardQuarantined(MessageFilter filter, String by, long after, int limit) {
    return SqlErrors.translate(() -> operations.discardQuarantined(filter, by, after, limit));
  }

  @Override
  public List<Intervention> interventions(
      Intervention.Origin origin, MessageFilter filter, int limit) {
    return SqlErrors.translate(() -> operations.interventions(origin, filter, limit));
  }

  @Override
  public List<FailedAttempt> attempts(String endpoint, UUID messageId) {
    return SqlErrors.translate(
        () -> jdbi.withHandle(handle -> HistoryStatements.attempts(handle, endpoint, messageId)));
  }

  @Override
  public void register(ProcessInfo process, Duration uptime) {
    SqlErrors.translate(() -> processes.register(process, uptime));
  }

  @Override
  public boolean heartbeat(UUID process) {
    return SqlErrors.translate(() -> processes.heartbeat(process));
  }

  @Override
  public void deregister(UUID process) {
    SqlErrors.translate(() -> processes.deregister(process));
  }

  @Override
  public List<RunningProcess> processes() {
    return SqlErrors.translate(processes::running);
  }

  @Override
  public List<UnhandledType> unhandledTypes(Collection<String> endpoints) {
    return SqlErrors.translate(() -> processes.unhandled(endpoints));
  }

  @Override
  public void declareRetention(Collection<String> endpoints, Retention retention) {
    SqlErrors.translate(
        () -> jdbi.withHandle(handle -> RetentionPolicies.declare(handle, endpoints, retention)));
  }

  @Override
  public Map<String, Retention> declaredRetention() {
    return SqlErrors.translate(() -> jdbi.withHandle(RetentionPolicies.declared()::longest));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Uses one connection while it runs. A role that owns the tables creates one partition per day
   * and drops it as a whole; any other role deletes row by row.
   */
  @Override
  public RetentionReport retain(Predicate<RetentionReport> goOn) {
    return SqlErrors.translate(() -> retentionRuns.run(RetentionPolicies.declared(), goOn));
  }

  @Override
  public RetentionReport retain(
      Collection<String> endpoints,
      Retention retention,
      boolean force,
      Predicate<RetentionReport> goOn) {
    if (retention.isForever()) {
      throw new IllegalArgumentException(
          "messages are kept forever; expected for example Retention.days(7)");
    }
    RetentionPolicies policies = new RetentionPolicies(Set.copyOf(endpoints), retention, force);
    return SqlErrors.translate(() -> retentionRuns.run(policies, goOn));
  }

  /**
   * {@inheritDoc}
   *
   * <p>Ordering keys share 64 locks, so some other keys wait, too: publish messages with a key at
   * the end of a transaction, and do not leave it open.
   *
   * @param transaction a {@link Handle} or a {@link Connection}, also one that a pool has wrapped.
   *     A failed statement aborts the transaction, as any other does
   */
  @Override
  public void publish(Object transaction, List<StoredOutgoing> messages) {
    outbox.publish(transaction, messages);
  }

  @Override
  public void publish(List<StoredOutgoing> messages) {
    SqlErrors.translate(
        () -> {
          if (!messages.isEmpty()) {
            outbox.publish(messages);
          }
          return true;
        });
  }

  @Override
  public boolean cancelScheduled(UUID messageId) {
    return SqlErrors.translate(() -> outboxStatements.cancel(messageId));
  }

  @Override
  public boolean reschedule(UUID messageId, Instant sendAt) {
    return SqlErrors.translate(() -> outboxStatements.reschedule(messageId, sendAt));
  }

  @Override
  public boolean leadRelay(UUID relay, Duration time) {
    return SqlErrors.translate(() -> outboxStatements.lead(relay, time));
  }

  @Override
  public void resignRelay(UUID relay) {
    SqlErrors.translate(() -> outboxStatements.resign(relay));
  }

  @Override
  public OutboxReader openOutbox() {
    return new JdbiOutboxReader(jdbi, schema);
  }

  @Override
  public OutboxStatus outboxStatus() {
    return SqlErrors.translate(outboxStatements::status);
  }

  @Override
  public Watch watchOutbox(Runnable stored) {
    return notifySender.watchOutbox(stored);
  }

  /**
   * Ends a migration that waits, and closes the connection pool if the store owns it. A pool that
   * is still connecting to an unresponsive server is left to finish in the background, which takes
   * up to 20 seconds.
   */
  @Override
  public void close() {
    closed = true;
    notifySender.close();
    if (ownPool == null) {
      return;
    }
    Thread closer = new Thread(ownPool::close, "inbox-close-pool");
    closer.setDaemon(true);
    closer.start();
    Deadline.in(PATIENCE_WITH_THE_POOL).join(closer);
  }
}
