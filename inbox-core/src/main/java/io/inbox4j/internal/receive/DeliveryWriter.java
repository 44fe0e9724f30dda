package io.inbox4j.internal.receive;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;

/** Writes batches of validated deliveries to the store. */
@FunctionalInterface
public interface DeliveryWriter {

  /** Stores a batch durably. */
  Stored store(List<ValidatedDelivery> batch);

  /**
   * The result of each delivery, in the same order, and what is to be reported afterwards.
   *
   * @param told runs after listeners were notified of the results
   */
  record Stored(List<StoreResult> receipts, Runnable told) {}

  /** A writer that only stores, for the processor to handle later. */
  static DeliveryWriter in(InboxStore store, String endpoint) {
    return batch -> new Stored(store.receive(endpoint, batch), () -> {});
  }
}
