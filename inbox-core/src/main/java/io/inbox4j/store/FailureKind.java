package io.inbox4j.store;

/** Whose fault a failure is. */
public enum FailureKind {
  /** The message's or its handler's: it uses up an attempt. */
  MESSAGE,
  /** The infrastructure's, if the transaction is gone with it; then no attempt is used up. */
  INFRASTRUCTURE,
  /** Another transaction's, which won a deadlock or a conflict: no attempt is used up. */
  CONFLICT,
  /** The server ended the transaction because it did nothing for too long. */
  TIMED_OUT,
  /** A statement before had failed, and its error was swallowed: who did it is not known yet. */
  ABORTED
}
