package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;

/**
 * Handles the events of one type.
 *
 * <p>Workers call it concurrently, so it must be thread-safe. What it does through {@link
 * EventContext#unwrap} or {@link EventContext#write} commits together with the message's outcome,
 * exactly once; if it throws, that is rolled back. Effects elsewhere (mail, HTTP) are
 * at-least-once.
 *
 * @param <T> the event type
 */
@FunctionalInterface
public interface EventHandler<T extends IntegrationEvent> {

  /**
   * Handles one event; returning means success.
   *
   * @throws RetryLater to be called again after a delay of the handler's choice
   * @throws Postpone if it is too early; this does not use up an attempt
   * @throws DeadLetter to dead-letter the message without further attempts
   * @throws Exception anything else is a failed attempt, and the retry policy decides what happens
   *     next
   */
  void handle(T event, EventContext context) throws Exception;
}
