package io.inbox4j.store;

import java.time.Duration;
import java.util.List;

/**
 * Isolates messages that may crash their process.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface RecoveryStore {

  /**
   * Durably marks an orphaned message that is due as a crash risk, because it is about to be
   * handled alone, and hides it from other workers for the given time.
   *
   * @return whether it was marked; false if the message is gone or claimed by another worker
   */
  boolean markCrashRiskAlone(long sequence, Duration holdBack);

  /**
   * Clears crash-risk marks, because the infrastructure failed and not the messages. They are due
   * again.
   */
  void clearCrashRisk(List<Long> sequences);
}
