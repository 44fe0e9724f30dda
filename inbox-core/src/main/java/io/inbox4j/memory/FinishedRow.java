package io.inbox4j.memory;

import java.time.Instant;

/**
 * A message that was processed or discarded, kept so that its duplicates are recognized.
 *
 * @param attempts how many attempts it took; 0 if it was discarded
 */
record FinishedRow(StoredMessage message, Instant at, int attempts) {

  boolean isProcessed() {
    return attempts > 0;
  }
}
