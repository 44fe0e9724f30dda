package io.inbox4j.store;

import io.inbox4j.error.InboxException;

/**
 * The store could not do its work for a reason that passes: the database is away, read-only, out of
 * resources, or chose the transaction to resolve a deadlock. Nothing was changed; try again later.
 */
public class StoreUnavailableException extends InboxException {

  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
