package io.inbox4j.store;

import io.inbox4j.listener.Backlog;
import java.time.Duration;
import java.util.Collection;

/**
 * Reports the status of the store and what is waiting in it.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface StatusStore {

  /**
   * The status of the store and of what is waiting at these endpoints, at little cost however much
   * that is. It uses one connection and gives up after about this time.
   */
  StoreStatus status(Collection<String> endpoints, Duration timeout);

  /**
   * The messages that are still to be handled at an endpoint. It is queried every few seconds, so
   * it must be cheap however many messages are kept or pending.
   */
  Backlog backlog(String endpoint);
}
