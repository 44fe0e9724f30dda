package io.inbox4j.internal.receive;

import io.inbox4j.store.InboxStore;
import io.inbox4j.store.StoreResult;
import io.inbox4j.transport.ValidatedDelivery;
import java.util.List;

/** How a batch of arrivals gets into the store. */
@FunctionalInterface
public interface DeliveryWriter {

  /** Stores a batch durably. */
  Stored store(List<ValidatedDelivery> batch);

  /**
   * What became of each arrival, in the same order, and what is to be told after that.
   *
   * @param told runs when listeners have heard of the receipts
   */
  record Stored(List<StoreResult> receipts, Runnable told) {}

  /** Only stores, for the processor to handle later. */
  static DeliveryWriter in(InboxStore store, String endpoint) {
    return batch -> new Stored(store.receive(endpoint, batch), () -> {});
  }
}
