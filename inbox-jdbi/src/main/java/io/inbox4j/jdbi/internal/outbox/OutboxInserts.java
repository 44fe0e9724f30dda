package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.jdbi.internal.sql.InboxSchema;
import io.inbox4j.jdbi.internal.sql.OutboxSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores outgoing messages in a transaction. The driver gets the statements without JDBI: the
 * connection may be the caller's.
 */
public final class OutboxInserts {

  static final int MAX_MESSAGES = 1_000;
  static final long MAX_BYTES = 4L << 20;

  /** More keys at once than these share locks, so that no transaction has very many. */
  private static final int KEY_SLOTS = 64;

  /** What is later is as good as never, and may be more than the database can represent. */
  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  private final InboxSchema schema;

  public OutboxInserts(InboxSchema schema) {
    this.schema = schema;
  }

  /**
   * Stores messages, in this order.
   *
   * @param first the SQL to execute first, terminated by a semicolon, or empty
   */
  public void publish(Connection connection, String first, List<StoredOutgoing> messages)
      throws SQLException {
    String before = first;
    List<String> keys =
        messages.stream().map(it -> it.message().orderingKey()).filter(Objects::nonNull).toList();
    if (!keys.isEmpty()) {
      lock(connection, before, keys);
      before = "";
    }
    for (List<StoredOutgoing> chunk : chunks(messages)) {
      insert(connection, before, chunk);
      before = "";
    }
  }

  /** Locks ordering keys until the end of the transaction. */
  void lock(Connection connection, String first, Collection<String> keys) throws SQLException {
    List<Integer> slots = keys.stream().map(OutboxInserts::slot).distinct().sorted().toList();
    try (PreparedStatement statement = schema.prepare(connection, first + OutboxSql.LOCK_KEYS)) {
      PgArray.integers(slots, slot -> slot).set(1, statement);
      statement.execute();
    }
  }

  /**
   * Locks ordering keys until the end of the transaction, as far as nobody else has.
   *
   * @return the keys that are locked
   */
  Set<String> tryLock(Connection connection, Collection<String> keys) throws SQLException {
    List<Integer> slots = keys.stream().map(OutboxInserts::slot).distinct().sorted().toList();
    Set<Integer> locked = new HashSet<>();
    try (PreparedStatement statement = schema.prepare(connection, OutboxSql.TRY_LOCK_KEYS)) {
      PgArray.integers(slots, slot -> slot).set(1, statement);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          locked.add(row.getInt("slot"));
        }
      }
    }
    return keys.stream().filter(key -> locked.contains(slot(key))).collect(Collectors.toSet());
  }

  /** The same in every process: the hash of a string is specified. */
  private static int slot(String key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (KEY_SLOTS - 1);
  }

  private void insert(Connection connection, String first, List<StoredOutgoing> chunk)
      throws SQLException {
    boolean timed = chunk.stream().anyMatch(it -> it.delay() != null || it.sendAt() != null);
    String sql = timed ? OutboxSql.SCHEDULE : OutboxSql.PUBLISH;
    try (PreparedStatement statement = schema.prepare(connection, first + sql)) {
      bind(statement, chunk.stream().map(StoredOutgoing::message).toList());
      if (timed) {
        PgArray.texts(chunk, it -> text(it.sendAt())).set(13, statement);
        PgArray.texts(chunk, it -> text(it.delay())).set(14, statement);
      }
      statement.execute();
    }
  }

  private static void bind(PreparedStatement statement, List<OutgoingMessage> messages)
      throws SQLException {
    PgArray.uuids(messages, OutgoingMessage::messageId).set(1, statement);
    PgArray.booleans(messages, it -> it.destination() instanceof OutgoingMessage.Queue)
        .set(2, statement);
    PgArray.texts(messages, it -> it.destination().name()).set(3, statement);
    PgArray.texts(messages, OutgoingMessage::type).set(4, statement);
    PgArray.texts(messages, OutgoingMessage::contentType).set(5, statement);
    PgArray.bytes(messages, OutgoingMessage::body).set(6, statement);
    PgArray.texts(messages, OutgoingHeaders::json).set(7, statement);
    PgArray.texts(messages, OutgoingMessage::correlationId).set(8, statement);
    PgArray.texts(messages, OutgoingMessage::source).set(9, statement);
    PgArray.texts(messages, OutgoingMessage::orderingKey).set(10, statement);
    PgArray.longs(messages, it -> millis(it.expiresAfter())).set(11, statement);
    PgArray.integers(messages, OutgoingMessage::priority).set(12, statement);
  }

  private static @Nullable Long millis(@Nullable Duration time) {
    return time == null ? null : time.toMillis();
  }

  private static @Nullable String text(@Nullable Duration delay) {
    return delay == null ? null : delay.toString();
  }

  /** A time as the database understands it. */
  static @Nullable String text(@Nullable Instant time) {
    if (time == null) {
      return null;
    }
    Instant possible = time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
    return (possible.isAfter(LATEST) ? LATEST : possible).toString();
  }

  /** Parts of which none is very large, unless a single message is. */
  static List<List<StoredOutgoing>> chunks(List<StoredOutgoing> messages) {
    List<List<StoredOutgoing>> chunks = new ArrayList<>();
    int begin = 0;
    long bytes = 0;
    for (int i = 0; i < messages.size(); i++) {
      long size = messages.get(i).message().size();
      if (i > begin && (i - begin == MAX_MESSAGES || bytes + size > MAX_BYTES)) {
        chunks.add(messages.subList(begin, i));
        begin = i;
        bytes = 0;
      }
      bytes += size;
    }
    if (begin < messages.size()) {
      chunks.add(messages.subList(begin, messages.size()));
    }
    return chunks;
  }
}
