package io.inbox4j.cli.internal.tables;

import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.error.InboxException;
import io.inbox4j.jdbi.internal.operate.MessageDetails;
import io.inbox4j.jdbi.internal.operate.MessageQueries;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.QuarantinedMessage;
import java.nio.charset.StandardCharsets;
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
        key.id() == null
            ? quarantined(database, Objects.requireNonNull(key.place()), endpoint)
            : messages(database, key.id(), endpoint);
    if (found.isEmpty()) {
      throw new InboxException(
          "there is no message %s%s".formatted(key, endpoint == null ? "" : " at " + endpoint));
    }
    return found;
  }

  private static List<FoundMessage> messages(
      CommandDatabase database, UUID id, @Nullable String endpoint) {
    return MessageQueries.find(database.handle, id, endpoint).stream()
        .map(it -> message(database, it))
        .toList();
  }

  private static FoundMessage message(CommandDatabase database, MessageDetails it) {
    return new FoundMessage(
        origin(it.status()),
        it.sequence(),
        Output.object(
            "id", it.messageId().toString(),
            "endpoint", it.endpoint(),
            "type", it.type(),
            "status", it.status(),
            "attempts", it.attempts(),
            "receivedAt", it.receivedAt(),
            "processedAt", it.processedAt(),
            "deadAt", it.deadAt(),
            "dueAt", it.dueAt(),
            "crashes", it.crashes(),
            "leased", it.leased(),
            "error", it.error(),
            "orderingKey", it.orderingKey(),
            "correlationId", it.correlationId(),
            "source", it.source(),
            "contentType", it.contentType(),
            "redelivered", it.redelivered(),
            "bytes", it.body().length,
            "emptied", it.emptied()),
        it.emptied() ? Map.of() : Output.object("headers", it.headers(), "body", text(it.body())),
        database.store.attempts(it.endpoint(), it.messageId()),
        history(database, MessageFilter.all().sequence(it.sequence())));
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
    return new String(body, StandardCharsets.UTF_8);
  }
}
