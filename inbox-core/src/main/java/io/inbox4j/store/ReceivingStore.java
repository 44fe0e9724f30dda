package io.inbox4j.store;

import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;

/**
 * Stores deliveries.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface ReceivingStore {

  /**
   * Stores a batch in this order: events once and atomically, the rest in the quarantine.
   *
   * @return the result of each, in the same order
   */
  List<StoreResult> receive(String endpoint, List<ValidatedDelivery> batch);
}
