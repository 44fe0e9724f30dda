package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;

/**
 * What a handler of batches is told, and can say.
 *
 * <p>It is valid until the handler and the middleware around it have returned; whoever uses it, or
 * the context of an event, after that is told so by an {@link IllegalStateException}. It is meant
 * for the handler's thread; another one that uses it has to be waited for.
 *
 * @param <T> the event
 */
public interface BatchContext<T extends IntegrationEvent> extends EventTransaction {

  /** The endpoint, which is the queue, that the messages came from. */
  String endpoint();

  /**
   * What there is to know about one event of the batch.
   *
   * @throws IllegalArgumentException if it is none of the events that the handler was given
   */
  EventContext of(T event);

  /**
   * Says that this event cannot be handled, as if a handler of it alone had thrown this. When the
   * handler returns, what it did is undone and it is called again without the events that failed.
   *
   * @throws IllegalArgumentException if it is none of the events that the handler was given
   */
  void fail(T event, Exception failure);
}
