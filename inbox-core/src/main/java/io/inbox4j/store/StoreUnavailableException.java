package io.inbox4j.store;

import io.inbox4j.error.InboxException;

/**
 * Thrown when the store fails for a transient reason: the database is unreachable, read-only, out
 * of resources, or chose the transaction as a deadlock victim. Nothing was changed; retry later.
 */
public class StoreUnavailableException extends InboxException {

  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
