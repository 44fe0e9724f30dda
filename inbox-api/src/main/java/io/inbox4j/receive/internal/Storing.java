package io.inbox4j.receive.internal;

import io.inbox4j.receive.Arrival;
import io.inbox4j.store.InboxStore;
import io.inbox4j.store.Receipt;
import java.util.List;

/** How a batch of arrivals gets into the store. */
@FunctionalInterface
public interface Storing {

  /** Stores a batch durably. */
  Stored store(List<Arrival> batch);

  /**
   * What became of each arrival, in the same order, and what is to be told after that.
   *
   * @param told runs when listeners have heard of the receipts
   */
  record Stored(List<Receipt> receipts, Runnable told) {}

  /** Only stores, for the processor to handle later. */
  static Storing in(InboxStore store, String endpoint) {
    return batch -> new Stored(store.receive(endpoint, batch), () -> {});
  }
}
