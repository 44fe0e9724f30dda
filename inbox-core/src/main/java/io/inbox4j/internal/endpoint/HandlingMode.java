package io.inbox4j.internal.endpoint;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The transaction in which handlers run. */
public sealed interface HandlingMode {

  /** In a transaction that commits the effects of many handlers with their outcomes. */
  record Transactional() implements HandlingMode {}

  /** In the transaction that stores the message; after a failure, as {@link Transactional}. */
  record Inline() implements HandlingMode {}

  /**
   * In none: a lease keeps the message from other workers.
   *
   * @param lease how long a message stays claimed after its process died; renewed while a handler
   *     runs
   * @param timeout how long a handler may run, or null for no limit
   */
  record Leased(Duration lease, @Nullable Duration timeout) implements HandlingMode {}
}
