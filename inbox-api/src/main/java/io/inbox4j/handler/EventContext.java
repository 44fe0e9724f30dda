package io.inbox4j.handler;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a handler is told about the message in its hands.
 *
 * <p>It is valid until the handler returns, on the handler's thread only.
 */
public interface EventContext {

  /** The endpoint, which is the queue, that the message came from. */
  String endpoint();

  /** The id that the message is stored under. */
  UUID messageId();

  /** The stable name of the event's type. */
  String type();

  /** Which attempt this is, from 1. */
  int attempt();

  /**
   * The headers of the message: strings, numbers, booleans, lists and maps of these. Empty if there
   * were none.
   */
  Map<String, @Nullable Object> headers();

  /** The correlation id that the producer gave, or null. */
  @Nullable String correlationId();

  /** The application that sent the message, as it called itself, or null. */
  @Nullable String source();

  /** When the message was stored, by the database's clock. */
  Instant receivedAt();

  /** Whether the broker said that it had delivered the message before. */
  boolean redelivered();

  /**
   * The transaction that the handler runs in, as the store's type for it: with the JDBI store
   * {@code org.jdbi.v3.core.Handle} or {@code java.sql.Connection}.
   *
   * <p>The inbox begins and ends the transaction; committing, rolling back or closing it here is an
   * error.
   *
   * @throws IllegalArgumentException if the store has no such type; the message says which it has
   */
  <T> T unwrap(Class<T> type);
}
