package io.inbox4j.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * Extends and ends the leases of messages that are handled outside a transaction.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for faults that pass.
 */
public interface LeaseStore {

  /**
   * Renews leases, to last for the given time from now.
   *
   * @return those that still hold; of the others somebody else has taken the message
   */
  Set<Lease> renew(Collection<Lease> leases, Duration time);

  /** Ends leases of messages that were not handled: they are due again. */
  void release(Collection<Lease> leases);
}
