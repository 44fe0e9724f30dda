package io.inbox4j.store;

import io.inbox4j.operations.FailedAttempt;
import java.util.List;
import java.util.UUID;

/**
 * Reads the failed attempts of messages. They are written with the outcome: with every {@link
 * Outcome.Retry} and {@link Outcome.Dead}, and for every crash of a process that counts as an
 * attempt. They are removed when their message is removed, or loses its body.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface HistoryStore {

  /**
   * The failed attempts of a message, in order, whatever became of it: the first {@value
   * FailedAttempt#FIRST_KEPT} and the last {@value FailedAttempt#LAST_KEPT}.
   */
  List<FailedAttempt> attempts(String endpoint, UUID messageId);
}
