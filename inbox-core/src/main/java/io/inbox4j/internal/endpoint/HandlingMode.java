package io.inbox4j.internal.endpoint;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** In which transaction handlers run. */
public sealed interface HandlingMode {

  /** In a transaction that commits the effects of many handlers with their outcomes. */
  record Transactional() implements HandlingMode {}

  /** In the transaction that stores the message; after a failure, as {@link Transactional}. */
  record Inline() implements HandlingMode {}

  /**
   * In none: a lease keeps others away from the message.
   *
   * @param lease how long others wait for a process that is gone; renewed while a handler runs
   * @param timeout how long a handler may run, or null for as long as it likes
   */
  record Leased(Duration lease, @Nullable Duration timeout) implements HandlingMode {}
}
