package io.inbox4j.retry;

/** The state of a circuit breaker, which decides what it lets through. */
public enum CircuitState {
  /** Everything. */
  CLOSED,
  /** Nothing, because most messages failed. */
  OPEN,
  /** One message, to test whether it still fails. */
  HALF_OPEN
}
