package io.inbox4j.jdbi;

import io.inbox4j.InboxException;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker's transaction. The locks on the claimed rows are its lease. */
final class JdbiWorkTransaction implements WorkTransaction {

  private static final Logger log = LoggerFactory.getLogger(JdbiWorkTransaction.class);

  private final String endpoint;
  private final Handle handle;
  private final Connection connection;
  private final ClaimCursor cursor;
  private final long idleTimeoutMillis;
  private final HandlerJdbi handlerJdbi;
  private @Nullable Connection guarded;
  private @Nullable Handle handlerHandle;
  private boolean committed;
  private boolean discard;

  JdbiWorkTransaction(
      String endpoint,
      Handle handle,
      ClaimCursor cursor,
      long idleTimeoutMillis,
      HandlerJdbi handlerJdbi) {
    this.endpoint = endpoint;
    this.handle = handle;
    this.connection = handle.getConnection();
    this.cursor = cursor;
    this.idleTimeoutMillis = idleTimeoutMillis;
    this.handlerJdbi = handlerJdbi;
    handle.begin();
  }

  @Override
  public List<StoredMessage> claim(Set<String> types, int limit) {
    String sql = Sql.claim(limit, idleTimeoutMillis);
    return run(
        () -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, endpoint);
            statement.setArray(2, connection.createArrayOf("text", types.toArray()));
            statement.setObject(3, cursor.from().atOffset(ZoneOffset.UTC));
            return read(statement, limit);
          }
        });
  }

  @Override
  public Optional<StoredMessage> claim(long sequence) {
    return run(
        () -> {
          try (PreparedStatement statement =
              connection.prepareStatement(Sql.claimOne(idleTimeoutMillis))) {
            statement.setLong(1, sequence);
            return read(statement, 0).stream().findFirst();
          }
        });
  }

  private List<StoredMessage> read(PreparedStatement statement, int limit) throws SQLException {
    boolean isRows = statement.execute();
    while (!isRows) { // the settings before the query
      isRows = statement.getMoreResults();
    }
    List<StoredMessage> messages = new ArrayList<>();
    Instant lastDue = null;
    try (ResultSet row = statement.getResultSet()) {
      while (row.next()) {
        lastDue = instant(row, 2);
        messages.add(message(row));
      }
    }
    if (lastDue != null && limit > 0) {
      cursor.claimed(lastDue, messages.size() == limit);
    }
    return messages;
  }

  private static StoredMessage message(ResultSet row) throws SQLException {
    Instant receivedAt = instant(row, 13);
    return new StoredMessage(
        row.getLong(1),
        row.getObject(6, UUID.class),
        row.getString(7),
        row.getBytes(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        row.getBoolean(12),
        receivedAt,
        java.time.Duration.between(receivedAt, instant(row, 14)),
        row.getInt(3),
        row.getInt(4),
        row.getBoolean(5));
  }

  private static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type == Handle.class) {
      return type.cast(handlerHandle());
    }
    if (type == Connection.class) {
      return type.cast(guarded());
    }
    throw new IllegalArgumentException(
        "%s is not what the JDBI store has; expected %s or %s"
            .formatted(type.getName(), Handle.class.getName(), Connection.class.getName()));
  }

  private Connection guarded() {
    if (guarded == null) {
      guarded = TransactionGuard.around(connection);
    }
    return guarded;
  }

  private Handle handlerHandle() {
    if (handlerHandle == null || handlerHandle.isClosed()) {
      handlerHandle = handlerJdbi.open(guarded());
    }
    return handlerHandle;
  }

  @Override
  public void mark() {
    execute(Sql.MARK);
  }

  @Override
  public void keep() {
    execute(Sql.KEEP);
  }

  @Override
  public void undo() {
    execute(Sql.UNDO);
  }

  @Override
  public void commit(List<Outcome> outcomes) {
    List<Outcome.Processed> processed = only(outcomes, Outcome.Processed.class);
    List<Outcome.Retry> retries = only(outcomes, Outcome.Retry.class);
    List<Outcome.Dead> dead = only(outcomes, Outcome.Dead.class);
    run(
        () -> {
          if (!dead.isEmpty()) {
            move(Sql.DEAD, dead, PgArray.texts(dead, Outcome.Dead::error), null);
          }
          if (!retries.isEmpty()) {
            PgArray delays = PgArray.texts(retries, retry -> retry.delay().toString());
            move(Sql.RETRY, retries, PgArray.texts(retries, Outcome.Retry::error), delays);
          }
          if (!processed.isEmpty()) {
            move(Sql.PROCESSED, processed, null, null);
          }
          handle.commit();
          committed = true;
          return committed;
        });
  }

  private static <T extends Outcome> List<T> only(List<Outcome> outcomes, Class<T> kind) {
    return outcomes.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Moves messages with one statement, which must find each of them. */
  private <T extends Outcome> void move(
      String sql, List<T> outcomes, @Nullable PgArray errors, @Nullable PgArray delays) {
    var update = handle.createUpdate(sql).bind("seqs", PgArray.longs(outcomes, Outcome::sequence));
    if (errors != null) {
      update.bind("errors", errors);
    }
    if (delays != null) {
      update.bind("delays", delays);
    }
    int moved = update.execute();
    if (moved != outcomes.size()) {
      throw new InboxException(
          "%d of %d messages of %s were not there any more when they got their outcome; the batch is undone"
              .formatted(outcomes.size() - moved, outcomes.size(), endpoint));
    }
  }

  @Override
  public void close() {
    try {
      if (discard) {
        connection.abort(Runnable::run);
      } else if (!committed) {
        handle.rollback();
      }
    } catch (SQLException | RuntimeException e) {
      log.debug("The transaction of {} could not be rolled back; the server does it", endpoint, e);
    } finally {
      closeHandle();
    }
  }

  private void closeHandle() {
    try {
      handle.close();
    } catch (RuntimeException e) {
      log.debug("A connection of {} could not be given back", endpoint, e);
    }
  }

  private void execute(String sql) {
    run(
        () -> {
          try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
          }
        });
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private <T> T run(Work<T> work) {
    try {
      return work.run();
    } catch (InboxException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      discard |= Faults.isReadOnly(e);
      throw Faults.translated(e);
    }
  }
}
