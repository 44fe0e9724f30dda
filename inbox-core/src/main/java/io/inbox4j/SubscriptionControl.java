package io.inbox4j;

import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.operations.Pause;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.store.OperatorStore;
import org.jspecify.annotations.Nullable;

/** Controls a subscription while it runs. Thread-safe. */
public final class SubscriptionControl {

  private final String endpoint;
  private final OperatorStore store;
  private final InboxProcessor processor;

  SubscriptionControl(String endpoint, OperatorStore store, InboxProcessor processor) {
    this.endpoint = endpoint;
    this.store = store;
    this.processor = processor;
  }

  /**
   * Pauses handling in all processes, until {@link #resume}, also after a restart. When this method
   * returns, the pause is committed, and no claim that begins after that, in this process or
   * another, takes a message; messages in flight are finished. Receiving and storing go on. An
   * existing pause stays unchanged.
   *
   * @param by who pauses it
   * @param reason why, as shown to other operators
   */
  public void pause(String by, String reason) {
    store.pause(endpoint, by, reason);
  }

  /** Resumes handling in all processes. */
  public void resume() {
    store.resume(endpoint);
    processor.wake(endpoint);
  }

  /** The current pause, or null if the subscription is not paused. */
  public @Nullable Pause currentPause() {
    return store.pauseOf(endpoint);
  }

  /** The maximum number of handlers that run concurrently in this process. */
  public int concurrency() {
    return processor.concurrency(endpoint);
  }

  /**
   * Changes the maximum number of handlers that run concurrently in this process; running handlers
   * finish. Each needs a database connection, except leased handlers.
   */
  public void concurrency(int handlers) {
    processor.concurrency(endpoint, handlers);
  }

  /** The state of the circuit breaker in this process. */
  public CircuitState circuit() {
    return processor.circuit(endpoint);
  }
}
