package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.jdbi.internal.connect.JoinedTransaction;
import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.OutboxSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.SqlErrors;
import io.inbox4j.store.OutboxReader;
import io.inbox4j.transport.OutgoingMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Reads outgoing messages, and removes them, each time in a short transaction. */
public final class JdbiOutboxReader implements OutboxReader {

  /** How many scheduled messages are released at once. */
  static final int MAX_RELEASED = 500;

  private static final String EVER = "-infinity";
  private static final Duration LOOK_FROM_EVER = Duration.ofSeconds(10);

  private final Jdbi jdbi;
  private final InboxSchema schema;
  private final OutboxInserts inserts;
  private final OutboxCursor cursor = new OutboxCursor();
  private String dueFrom = EVER;
  private long lookedFromEver = System.nanoTime();

  public JdbiOutboxReader(Jdbi jdbi, InboxSchema schema) {
    this.jdbi = jdbi;
    this.schema = schema;
    this.inserts = new OutboxInserts(schema);
  }

  @Override
  public List<Entry> next(int limit, long bytes) {
    return SqlErrors.translate(
        () -> {
          Optional<List<Entry>> next = Optional.empty();
          while (next.isEmpty()) {
            OutboxCursor.Read read =
                inTransaction(connection -> cursor.read(new Statements(connection, limit, bytes)));
            next = cursor.take(read, limit, bytes);
          }
          return next.get();
        });
  }

  /** The statements that read up to so many messages, and up to so many bytes. */
  private final class Statements implements OutboxCursor.Pages {

    private final Connection connection;
    private final int limit;
    private final long bytes;

    private Statements(Connection connection, int limit, long bytes) {
      this.connection = connection;
      this.limit = limit;
      this.bytes = bytes;
    }

    @Override
    public OutboxPage after(long sequence) {
      return read(
          OutboxSql.READ,
          statement -> {
            statement.setLong(1, sequence);
            statement.setInt(2, limit);
            statement.setLong(3, bytes);
          });
    }

    @Override
    public OutboxPage in(List<LateCommits.Gap> gaps) {
      return read(
          OutboxSql.READ_GAPS,
          statement -> {
            PgArray.longs(gaps, LateCommits.Gap::first).set(1, statement);
            PgArray.longs(gaps, LateCommits.Gap::last).set(2, statement);
            statement.setInt(3, limit);
            statement.setInt(4, limit);
            statement.setLong(5, bytes);
          });
    }

    private OutboxPage read(String sql, Binding binding) {
      try (PreparedStatement statement = schema.prepare(connection, sql)) {
        binding.bind(statement);
        return page(statement);
      } catch (SQLException e) {
        throw SqlErrors.translated(e);
      }
    }
  }

  private interface Binding {
    void bind(PreparedStatement statement) throws SQLException;
  }

  private interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Begins a transaction of its own, whose snapshots are new. */
  private <T> T inTransaction(Work<T> work) {
    try (Handle handle = jdbi.open()) {
      if (JoinedTransaction.isOn(handle.getConnection())) {
        throw new InboxException(
            "the outbox is read in transactions of its own, and this was called inside one of the"
                + " caller's; call it outside of it");
      }
      schema.name(handle.getConnection()); // a query, if it is not known yet
      return handle.inTransaction(
          it -> {
            try {
              return work.run(it.getConnection());
            } catch (SQLException e) {
              throw SqlErrors.translated(e);
            }
          });
    } catch (SQLException e) {
      throw SqlErrors.translated(e);
    }
  }

  private static OutboxPage page(PreparedStatement statement) throws SQLException {
    try (ResultSet row = rows(statement)) {
      row.next(); // there always is one
      TransactionSnapshot snapshot = TransactionSnapshot.parse(row.getString("snapshot"));
      String server = row.getString("server");
      long nextTransaction = row.getLong("next_xid");
      int seen = row.getInt("seen");
      List<Entry> entries = new ArrayList<>();
      if (seen > 0) {
        do {
          entries.add(new Entry(row.getLong("seq"), message(row)));
        } while (row.next());
      }
      return new OutboxPage(entries, seen, snapshot, nextTransaction, server);
    }
  }

  /** The rows of the query after the settings. */
  private static ResultSet rows(PreparedStatement statement) throws SQLException {
    boolean isRows = statement.execute();
    while (!isRows) {
      isRows = statement.getMoreResults();
    }
    return statement.getResultSet();
  }

  private static OutgoingMessage message(ResultSet row) throws SQLException {
    String destination = row.getString("destination");
    Long expires = row.getObject("expires_millis", Long.class);
    return new OutgoingMessage(
        row.getObject("message_id", UUID.class),
        row.getBoolean("to_queue")
            ? new OutgoingMessage.Queue(destination)
            : new OutgoingMessage.Topic(destination),
        row.getString("type"),
        row.getString("content_type"),
        row.getBytes("body"),
        HeaderJson.read(row.getString("headers")),
        row.getString("correlation_id"),
        row.getString("source"),
        row.getString("ordering_key"),
        expires == null ? null : Duration.ofMillis(expires),
        row.getObject("priority", Integer.class));
  }

  @Override
  public void settle(List<Long> sent, List<Undeliverable> dead) {
    SqlErrors.translate(() -> inTransaction(connection -> settle(connection, sent, dead)));
    cursor.settled(sent);
    cursor.settled(dead.stream().map(Undeliverable::sequence).toList());
  }

  private boolean settle(Connection connection, List<Long> sent, List<Undeliverable> dead)
      throws SQLException {
    if (!sent.isEmpty()) {
      try (PreparedStatement statement = schema.prepare(connection, OutboxSql.SENT)) {
        PgArray.longs(sent, Function.identity()).set(1, statement);
        PgArray.uuids(sent, cursor::idOf).set(2, statement);
        statement.execute();
      }
    }
    if (!dead.isEmpty()) {
      try (PreparedStatement statement = schema.prepare(connection, OutboxSql.DEAD)) {
        PgArray.longs(dead, Undeliverable::sequence).set(1, statement);
        PgArray.uuids(dead, it -> cursor.idOf(it.sequence())).set(2, statement);
        PgArray.texts(dead, it -> it.reason().name()).set(3, statement);
        PgArray.texts(dead, Undeliverable::error).set(4, statement);
        statement.execute();
      }
    }
    return true;
  }

  @Override
  public void startOver() {
    cursor.startOver();
  }

  /**
   * {@inheritDoc}
   *
   * <p>It looks from a minute before the last one that it has released, so that it does not read
   * over all that were, and now and then from the beginning.
   */
  @Override
  public int releaseDue() {
    if (System.nanoTime() - lookedFromEver >= LOOK_FROM_EVER.toNanos()) {
      dueFrom = EVER;
      lookedFromEver = System.nanoTime();
    }
    return SqlErrors.translate(() -> inTransaction(this::release)).size();
  }

  /** A message that is due. */
  private record DueMessage(long id, @Nullable String key) {}

  /** The messages that are due, and from when on to look for the next ones. */
  private record Due(List<DueMessage> messages, String nextFrom) {}

  /**
   * Those of which the key is locked by somebody who publishes are left for the next look: waiting
   * would hold up everything else, and whoever has the lock may be waiting for this.
   */
  private List<Long> release(Connection connection) throws SQLException {
    Due due = due(connection);
    Set<String> keys = new HashSet<>();
    due.messages.stream().map(DueMessage::key).filter(Objects::nonNull).forEach(keys::add);
    Set<String> locked = keys.isEmpty() ? keys : inserts.tryLock(connection, keys);
    List<Long> ids =
        due.messages.stream()
            .filter(it -> it.key == null || locked.contains(it.key))
            .map(DueMessage::id)
            .toList();
    if (!ids.isEmpty()) {
      try (PreparedStatement statement = schema.prepare(connection, OutboxSql.RELEASE)) {
        PgArray.longs(ids, Function.identity()).set(1, statement);
        statement.execute();
      }
    }
    if (ids.size() == due.messages.size()) {
      dueFrom = due.nextFrom;
    }
    return ids;
  }

  private Due due(Connection connection) throws SQLException {
    List<DueMessage> messages = new ArrayList<>();
    String nextFrom = dueFrom;
    try (PreparedStatement statement = schema.prepare(connection, OutboxSql.DUE)) {
      statement.setString(1, dueFrom);
      statement.setInt(2, MAX_RELEASED);
      try (ResultSet row = rows(statement)) {
        while (row.next()) {
          messages.add(new DueMessage(row.getLong("id"), row.getString("ordering_key")));
          nextFrom = row.getString("next_from");
        }
      }
    }
    return new Due(messages, nextFrom);
  }

  /** Does nothing: it has no connection of its own. */
  @Override
  public void close() {}
}
