package io.inbox4j.store;

import io.inbox4j.listener.Backlog;
import java.time.Duration;
import java.util.Collection;

/**
 * Says how the store is and what is waiting in it.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface StatusStore {

  /**
   * What there is to know about the store and about what waits at these endpoints, at little cost
   * however much that is. It takes one connection and gives up after about this time.
   */
  StoreStatus status(Collection<String> endpoints, Duration timeout);

  /**
   * What is still to be handled at an endpoint. It is asked for every few seconds, so it costs
   * little however much is kept and however much is pending.
   */
  Backlog backlog(String endpoint);
}
