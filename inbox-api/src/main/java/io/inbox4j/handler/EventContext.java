package io.inbox4j.handler;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a handler is told about the message in its hands.
 *
 * <p>It is valid until the handler and the middleware around it have returned, or a leased
 * handler's time is up. It is meant for the handler's thread; another one that uses it has to be
 * waited for.
 */
public interface EventContext extends EventTransaction {

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
   * The transaction that the handler runs in.
   *
   * @throws IllegalStateException if it runs outside any, under a lease (see {@link #commitWith}),
   *     or has returned
   */
  @Override
  <T> T unwrap(Class<T> type);

  /**
   * Does something in the transaction in which the outcome commits: now, or if the handler runs
   * outside any transaction, after it has returned and only if its lease still holds.
   *
   * @throws IllegalStateException if the handler has returned or its time is up, so that the effect
   *     would be lost
   * @throws Exception what the effect throws, if it runs now; if it runs later, its failure is the
   *     handler's
   */
  void commitWith(Effect effect) throws Exception;

  /** What is done in a transaction. */
  @FunctionalInterface
  interface Effect {

    /** Does it. */
    void apply(EventTransaction transaction) throws Exception;
  }
}
