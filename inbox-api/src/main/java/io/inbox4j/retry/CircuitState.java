package io.inbox4j.retry;

/** What a circuit breaker lets through. */
public enum CircuitState {
  /** Everything. */
  CLOSED,
  /** Nothing: most messages failed. */
  OPEN,
  /** One message, to see whether it still fails. */
  HALF_OPEN
}
