package io.inbox4j.internal.run;

import io.inbox4j.handler.EventTransaction;

/** The transaction of a leased handler, which has none: every use throws. */
final class NoTransaction implements EventTransaction {

  @Override
  public <T> T unwrap(Class<T> type) {
    throw new IllegalStateException(
        "a leased handler runs outside any transaction; do this in context.commitWith(…), or use a"
            + " connection of your own");
  }
}
