package io.inbox4j.cli.internal.tables;

import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.error.InboxException;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A message that an operator named, with everything that is known about it.
 *
 * @param origin where an operator can act on it, or null if it is finished
 * @param sequence its sequence there
 * @param fields what is known, under names that programs rely on
 * @param content its headers and its body, which may be private
 * @param attempts its failed attempts
 * @param history who did what with it, newest first
 */
public record FoundMessage(
    @Nullable Origin origin,
    long sequence,
    Map<String, @Nullable Object> fields,
    Map<String, @Nullable Object> content,
    List<FailedAttempt> attempts,
    List<Intervention> history) {

  private static final int HISTORY = 100;

  public String status() {
    return String.valueOf(fields.get("status"));
  }

  /**
   * The messages of this key: several if it arrived at several endpoints.
   *
   * @throws InboxException if there is none
   */
  public static List<FoundMessage> all(
      CommandDatabase database, MessageKey key, @Nullable String endpoint) {
    List<FoundMessage> found =
        key.place() == null
            ? messages(database, key, endpoint)
            : quarantined(database, key.place(), endpoint);
    if (found.isEmpty()) {
      throw new InboxException(
          "there is no message %s%s".formatted(key, endpoint == null ? "" : " at " + endpoint));
    }
    return found;
  }

  private static List<FoundMessage> messages(
      CommandDatabase database, MessageKey key, @Nullable String endpoint) {
    return database
        .handle
        .createQuery(OperatorSql.FIND)
        .bind("id", key.id())
        .bind("endpoint", endpoint)
        .map((row, context) -> message(database, row))
        .list();
  }

  private static FoundMessage message(CommandDatabase database, ResultSet row) throws SQLException {
    long sequence = row.getLong("seq");
    boolean emptied = row.getBoolean("emptied");
    return new FoundMessage(
        origin(row.getString("status")),
        sequence,
        Output.object(
            "id", row.getString("message_id"),
            "endpoint", row.getString("endpoint"),
            "type", row.getString("type"),
            "status", row.getString("status"),
            "attempts", row.getInt("attempts"),
            "receivedAt", instant(row, "received_on_utc"),
            "processedAt", instant(row, "processed_on_utc"),
            "deadAt", instant(row, "dead_on_utc"),
            "dueAt", instant(row, "due_on_utc"),
            "crashes", row.getInt("crashes"),
            "leased", row.getBoolean("leased"),
            "error", row.getString("error"),
            "orderingKey", row.getString("ordering_key"),
            "correlationId", row.getString("correlation_id"),
            "source", row.getString("source"),
            "contentType", row.getString("content_type"),
            "redelivered", row.getBoolean("redelivered"),
            "bytes", row.getInt("size"),
            "emptied", emptied),
        emptied
            ? Map.of()
            : Output.object(
                "headers", row.getString("headers"), "body", text(row.getBytes("body"))),
        database.store.attempts(row.getString("endpoint"), row.getObject("message_id", UUID.class)),
        history(database, MessageFilter.all().sequence(sequence)));
  }

  private static @Nullable Origin origin(String status) {
    return switch (status) {
      case "pending", "retrying" -> Origin.PENDING;
      case "dead" -> Origin.DEAD;
      default -> null;
    };
  }

  private static List<Intervention> history(CommandDatabase database, MessageFilter message) {
    return Stream.of(Origin.PENDING, Origin.DEAD)
        .flatMap(origin -> database.store.interventions(origin, message, HISTORY).stream())
        .sorted(Comparator.comparing(Intervention::at).reversed())
        .limit(HISTORY)
        .toList();
  }

  private static List<FoundMessage> quarantined(
      CommandDatabase database, long place, @Nullable String endpoint) {
    MessageFilter filter = MessageFilter.all().sequence(place);
    MessageFilter there = endpoint == null ? filter : filter.endpoint(endpoint);
    List<Intervention> history = database.store.interventions(Origin.QUARANTINE, filter, HISTORY);
    return database.store.listQuarantined(there, 0, 1).stream()
        .map(it -> quarantined(it, history))
        .toList();
  }

  private static FoundMessage quarantined(QuarantinedMessage it, List<Intervention> history) {
    return new FoundMessage(
        Origin.QUARANTINE,
        it.sequence(),
        Output.object(
            "id", "q" + it.sequence(),
            "endpoint", it.endpoint(),
            "type", it.delivery().type(),
            "status", "quarantined",
            "reason", it.reason().code(),
            "error", it.detail(),
            "quarantinedAt", it.quarantinedAt(),
            "messageId", it.delivery().messageId(),
            "correlationId", it.delivery().correlationId(),
            "contentType", it.delivery().contentType(),
            "contentEncoding", it.delivery().contentEncoding(),
            "redelivered", it.delivery().redelivered(),
            "bytes", it.delivery().body().length),
        Output.object(
            "headers", Output.json(it.delivery().headers()), "body", text(it.delivery().body())),
        List.of(),
        history);
  }

  private static String text(byte[] body) {
    return new String(Objects.requireNonNull(body), StandardCharsets.UTF_8);
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
