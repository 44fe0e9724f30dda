package io.inbox4j;

import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.operations.Pause;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.store.OperatorStore;
import org.jspecify.annotations.Nullable;

/** What can be changed about a subscription while it runs. Thread-safe. */
public final class SubscriptionControl {

  private final String endpoint;
  private final OperatorStore store;
  private final InboxProcessor processor;

  public SubscriptionControl(String endpoint, OperatorStore store, InboxProcessor processor) {
    this.endpoint = endpoint;
    this.store = store;
    this.processor = processor;
  }

  /**
   * Stops handling in all processes, until {@link #resume}, also after a restart. Messages are
   * still received and stored; those in hand come to their end. A pause that is there stays as it
   * is.
   *
   * @param by who says so
   * @param reason why, for those who wonder
   */
  public void pause(String by, String reason) {
    store.pause(endpoint, by, reason);
  }

  /** Lets all processes handle messages again. */
  public void resume() {
    store.resume(endpoint);
    processor.wake(endpoint);
  }

  /** Who stopped the handling, and why; null if it goes on. */
  public @Nullable Pause pause() {
    return store.pauseOf(endpoint);
  }

  /** How many handlers run at once at most, in this process. */
  public int concurrency() {
    return processor.concurrency(endpoint);
  }

  /**
   * Lets this many handlers run at once in this process, from now on; those that run come to their
   * end. Each needs a database connection, but for leased handlers.
   */
  public void concurrency(int handlers) {
    processor.concurrency(endpoint, handlers);
  }

  /** What the circuit breaker lets through in this process. */
  public CircuitState circuit() {
    return processor.circuit(endpoint);
  }
}
