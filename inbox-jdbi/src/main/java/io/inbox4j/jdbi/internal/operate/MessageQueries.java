package io.inbox4j.jdbi.internal.operate;

import io.inbox4j.jdbi.internal.sql.Interval;
import io.inbox4j.jdbi.internal.sql.OperatorSql;
import io.inbox4j.jdbi.internal.sql.PgArray;
import io.inbox4j.jdbi.internal.sql.Row;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Queries about messages for operators; none gets in the way of a worker. */
public final class MessageQueries {

  /** A message that was handled. */
  public record ProcessedMessage(
      UUID messageId, String endpoint, String type, int attempts, Instant processedAt) {}

  /** The status of a message at the moment, as in {@link MessageDetails}. */
  public record MessageState(
      long sequence,
      UUID messageId,
      String endpoint,
      String type,
      String status,
      int attempts,
      @Nullable String error) {}

  private MessageQueries() {}

  /** Messages that have failed and are retried, in arrival order. */
  public static List<PendingMessage> retrying(Handle handle, MessageFilter filter, int limit) {
    return OperatorStatements.select(handle, OperatorSql.LIST_RETRYING, filter, 0, limit)
        .map(OperatorStatements::pending)
        .list();
  }

  /** Processed messages, the newest first. */
  public static List<ProcessedMessage> processed(Handle handle, MessageFilter filter, int limit) {
    return OperatorStatements.select(handle, OperatorSql.LIST_PROCESSED, filter, 0, limit)
        .map(
            (row, context) ->
                new ProcessedMessage(
                    row.getObject("message_id", UUID.class),
                    row.getString("endpoint"),
                    row.getString("type"),
                    row.getInt("attempts"),
                    Row.instant(row, "processed_on_utc")))
        .list();
  }

  /** The planner's estimate of how many messages were processed longer ago. */
  public static long estimateProcessed(Handle handle, Duration age) {
    return PlannedRows.of(
        handle.createQuery(OperatorSql.ESTIMATE_PROCESSED).bind("age", new Interval(age)));
  }

  /** The messages of this id: several if it arrived at several endpoints. */
  public static List<MessageDetails> find(Handle handle, UUID id, @Nullable String endpoint) {
    return handle
        .createQuery(OperatorSql.FIND)
        .bind("id", id)
        .bind("endpoint", endpoint)
        .map((row, context) -> details(row))
        .list();
  }

  private static MessageDetails details(ResultSet row) throws SQLException {
    return new MessageDetails(
        row.getLong("seq"),
        row.getObject("message_id", UUID.class),
        row.getString("endpoint"),
        row.getString("type"),
        row.getString("status"),
        row.getInt("attempts"),
        Row.instant(row, "received_on_utc"),
        Row.instantOrNull(row, "processed_on_utc"),
        Row.instantOrNull(row, "dead_on_utc"),
        Row.instantOrNull(row, "due_on_utc"),
        row.getInt("crashes"),
        row.getObject("lease") != null,
        row.getString("error"),
        row.getString("ordering_key"),
        row.getString("correlation_id"),
        row.getString("source"),
        row.getString("content_type"),
        row.getBoolean("redelivered"),
        row.getBoolean("emptied"),
        row.getString("headers"),
        row.getBytes("body"));
  }

  /**
   * The newest messages, the oldest pending ones, and those given.
   *
   * @param recent how many of the newest and of the oldest
   */
  public static List<MessageState> follow(Handle handle, int recent, List<Long> sequences) {
    return handle
        .createQuery(OperatorSql.FOLLOW)
        .bind("recent", recent)
        .bind("before", PgArray.longs(sequences, Function.identity()))
        .map(
            (row, context) ->
                new MessageState(
                    row.getLong("seq"),
                    row.getObject("message_id", UUID.class),
                    row.getString("endpoint"),
                    row.getString("type"),
                    row.getString("status"),
                    row.getInt("attempts"),
                    row.getString("error")))
        .list();
  }

  /** The place of the delivery that was quarantined last; 0 if there is none. */
  public static long lastQuarantined(Handle handle) {
    return handle.createQuery(OperatorSql.LAST_QUARANTINED).mapTo(Long.class).one();
  }
}
