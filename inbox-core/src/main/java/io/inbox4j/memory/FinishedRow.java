package io.inbox4j.memory;

import java.time.Instant;

/** A message that was processed or discarded, kept so that its duplicates are recognized. */
record FinishedRow(StoredMessage message, Instant at) {}
