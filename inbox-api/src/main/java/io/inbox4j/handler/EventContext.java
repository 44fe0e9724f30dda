package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.publish.MessagePublisher;
import io.inbox4j.publish.PublishOptions;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows about the message that it handles.
 *
 * <p>It is valid until the handler and the middleware around it have returned, or the handler
 * timeout of a leased handler has passed. It is meant for the handler's thread; if another thread
 * uses it, the handler has to wait for that thread.
 */
public interface EventContext extends EventTransaction, MessagePublisher {

  /** The endpoint, which is the queue, that the message came from. */
  String endpoint();

  /** The id under which the message is stored. */
  UUID messageId();

  /** The stable name of the event's type. */
  String type();

  /** The number of this attempt, starting at 1. */
  int attempt();

  /**
   * The headers of the message: strings, numbers, booleans, lists and maps of these. Empty if the
   * message has none.
   */
  Map<String, @Nullable Object> headers();

  /** The correlation id set by the producer, or null. */
  @Nullable String correlationId();

  /** The name of the sending application, as set by the producer, or null. */
  @Nullable String source();

  /** When the message was stored, by the database's clock. */
  Instant receivedAt();

  /** Whether the broker flagged the delivery as redelivered. */
  boolean redelivered();

  /**
   * The transaction that the handler runs in. What was handed over with {@link #write} so far is
   * sent first.
   *
   * @throws IllegalStateException if the handler runs under a lease and so without a transaction
   *     (see {@link #commitWith}), or has already returned
   */
  @Override
  <T> T unwrap(Class<T> type);

  /**
   * Applies an effect in the transaction that commits the outcome: immediately or, if the handler
   * runs outside any transaction, after it has returned and only if its lease still holds.
   *
   * @throws IllegalStateException if the handler has returned or its timeout has passed, so that
   *     the effect would be lost
   * @throws Exception what the effect throws if it is applied immediately; if it is applied later,
   *     its failure counts as the handler's
   */
  void commitWith(Effect effect) throws Exception;

  /**
   * Hands over a statement to be sent together with those of other messages, see {@link
   * EventTransaction#write}. It works in every mode: a statement of a handler that runs outside any
   * transaction is executed in the one that commits the outcome, in the order of this and {@link
   * #commitWith}, and only if its lease still holds.
   */
  @Override
  void write(String statement, @Nullable Object... arguments);

  /**
   * Publishes an event if the outcome of this message commits, and not otherwise, in every mode.
   *
   * @throws IllegalStateException if the handler has returned or its timeout has passed, so that
   *     the event would be lost
   */
  @Override
  UUID publish(IntegrationEvent event, PublishOptions options);

  /**
   * Sends a command to a queue if the outcome of this message commits, and not otherwise.
   *
   * @throws IllegalStateException if the handler has returned or its timeout has passed, so that
   *     the command would be lost
   */
  @Override
  UUID send(String queue, IntegrationEvent command, PublishOptions options);

  /** An effect to be applied in a transaction. */
  @FunctionalInterface
  interface Effect {

    /** Applies the effect. */
    void apply(EventTransaction transaction) throws Exception;
  }
}
