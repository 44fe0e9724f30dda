package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;

/**
 * What a batch handler knows about its messages, and how it reports failed ones.
 *
 * <p>It is valid until the handler and the middleware around it have returned; using it, or the
 * context of one of its events, after that throws an {@link IllegalStateException}. It is meant for
 * the handler's thread; if another thread uses it, the handler has to wait for that thread.
 *
 * @param <T> the event type
 */
public interface BatchContext<T extends IntegrationEvent> extends EventTransaction {

  /** The endpoint, which is the queue, that the messages came from. */
  String endpoint();

  /**
   * The context of one event of the batch.
   *
   * @throws IllegalArgumentException if the event is not part of the batch
   */
  EventContext of(T event);

  /**
   * Marks one event as failed, as if a handler of that event alone had thrown this exception. When
   * the handler returns, its effects are rolled back and it is called again without the failed
   * events.
   *
   * @throws IllegalArgumentException if the event is not part of the batch
   */
  void fail(T event, Exception failure);
}
