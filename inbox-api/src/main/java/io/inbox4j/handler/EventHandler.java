package io.inbox4j.handler;

import io.inbox4j.event.IntegrationEvent;

/**
 * Handles the events of one type.
 *
 * <p>It is called by several workers at once and must be thread-safe. What it does through {@link
 * EventContext#unwrap} commits together with the message's outcome, once; when it throws, that is
 * undone. Anything it does elsewhere (mail, HTTP) can happen more than once.
 *
 * @param <T> the event
 */
@FunctionalInterface
public interface EventHandler<T extends IntegrationEvent> {

  /**
   * Handles one event; returning means success.
   *
   * @throws RetryLater to be called again after a delay of the handler's choice
   * @throws Postpone if it is too early, without using up an attempt
   * @throws DeadLetter to give up on the message at once
   * @throws Exception anything else is a failed attempt, and the retry policy decides
   */
  void handle(T event, EventContext context) throws Exception;
}
