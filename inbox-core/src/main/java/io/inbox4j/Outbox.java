package io.inbox4j;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.internal.publish.EventPublisher;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.operations.OutboxStatus;
import io.inbox4j.publish.MessagePublisher;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.store.OutboxStore;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Publishes events outside of handlers, through the outbox: they are stored, and a process that
 * {@linkplain Inbox#startPublishing publishes} sends them to the broker until it has confirmed
 * them.
 *
 * <pre>{@code
 * jdbi.useTransaction(handle -> {
 *   handle.execute("INSERT INTO orders …");
 *   outbox.in(handle).publish(new OrderPlaced(MessageIds.of("order", id, "placed"), id));
 * });
 * }</pre>
 *
 * <p>An event without an id gets a random one. Thread-safe.
 */
public final class Outbox implements MessagePublisher {

  private final OutboxStore store;
  private final MessageWriter writer;
  private final Runnable requireOpen;
  private final EventPublisher own;

  /**
   * @param requireOpen throws unless the store is open
   */
  Outbox(OutboxStore store, MessageWriter writer, Runnable requireOpen) {
    this.store = store;
    this.writer = writer;
    this.requireOpen = requireOpen;
    this.own = new EventPublisher(writer, message -> store.publish(List.of(message)));
  }

  /**
   * Publishes in a transaction of the caller: what is published is sent if the transaction commits,
   * and not otherwise. With an ordering key, other transactions that publish with the same key wait
   * until this one has ended; so publish late in the transaction, and in one order of keys.
   *
   * @param transaction the transaction as a type of the store: with the JDBI store an {@code
   *     org.jdbi.v3.core.Handle} or a {@code java.sql.Connection}, on which a transaction is active
   */
  public MessagePublisher in(Object transaction) {
    requireOpen.run();
    return new EventPublisher(writer, message -> store.publish(transaction, List.of(message)));
  }

  /** Publishes in a transaction of its own: when it returns, the event is durable. */
  @Override
  public UUID publish(IntegrationEvent event, PublishOptions options) {
    requireOpen.run();
    return own.publish(event, options);
  }

  /** Sends in a transaction of its own: when it returns, the command is durable. */
  @Override
  public UUID send(String queue, IntegrationEvent command, PublishOptions options) {
    requireOpen.run();
    return own.send(queue, command, options);
  }

  /**
   * Cancels a message with a delay that is not due yet.
   *
   * @return whether there was one; if not, it may be on its way already
   */
  public boolean cancel(UUID messageId) {
    requireOpen.run();
    return store.cancelScheduled(messageId);
  }

  /**
   * Changes when a message with a delay is sent that is not due yet.
   *
   * @return whether there was one; if not, it may be on its way already
   */
  public boolean reschedule(UUID messageId, Instant sendAt) {
    requireOpen.run();
    return store.reschedule(messageId, sendAt);
  }

  /** How much is waiting to be sent, and for how long. */
  public OutboxStatus status() {
    requireOpen.run();
    return store.outboxStatus();
  }
}
