package io.inbox4j.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/**
 * Renews and releases the leases of messages that are handled outside a transaction.
 *
 * <p>Part of {@link InboxStore}. Thread-safe. Every method throws {@link StoreUnavailableException}
 * for transient failures.
 */
public interface LeaseStore {

  /**
   * Renews leases for the given time from now.
   *
   * @return the leases that still hold; the messages of the others have been claimed by another
   *     worker
   */
  Set<Lease> renew(Collection<Lease> leases, Duration time);

  /** Releases the leases of messages that were not handled: they are due again. */
  void release(Collection<Lease> leases);
}
