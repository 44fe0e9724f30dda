package io.inbox4j.store;

import java.time.Duration;
import java.util.List;

/**
 * Keeps messages that may crash their process apart from others.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface RecoveryStore {

  /**
   * Notes, durably, that an orphan that is due is about to be handled alone, and holds it back from
   * others for the given time.
   *
   * @return whether it could be noted; false if the message is gone or in another hand
   */
  boolean markCrashRiskAlone(long sequence, Duration holdBack);

  /** Takes notes back: the infrastructure failed, not the messages. They are due again. */
  void clearCrashRisk(List<Long> sequences);
}
