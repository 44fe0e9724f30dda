package io.inbox4j.store;

/** The result of storing a delivery. */
public enum StoreResult {
  /** Stored for the first time. */
  STORED,
  /** Stored before; nothing changed. */
  DUPLICATE,
  /** Quarantined although valid: its id is already stored with a different body or type. */
  CONFLICT,
  /** Quarantined because validation rejected it. */
  QUARANTINED
}
