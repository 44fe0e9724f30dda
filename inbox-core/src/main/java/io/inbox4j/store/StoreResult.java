package io.inbox4j.store;

/** What became of a delivery that the store was given. */
public enum StoreResult {
  /** Stored for the first time. */
  STORED,
  /** Stored before; nothing changed. */
  DUPLICATE,
  /** An event that was put aside: its id is stored with another body or type. */
  CONFLICT,
  /** Put aside as what the check at the door said. */
  QUARANTINED
}
