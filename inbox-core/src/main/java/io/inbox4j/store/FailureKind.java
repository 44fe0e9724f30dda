package io.inbox4j.store;

/** The kind of a failure, by its cause. */
public enum FailureKind {
  /** Caused by the message or its handler: it uses up an attempt. */
  MESSAGE,
  /** Caused by the infrastructure, if the transaction is lost too; then no attempt is used up. */
  INFRASTRUCTURE,
  /** Caused by another transaction, which won a deadlock or a conflict: no attempt is used up. */
  CONFLICT,
  /** The server ended the transaction because it was idle for too long. */
  TIMED_OUT,
  /** An earlier statement failed and its error was swallowed: the culprit is not known yet. */
  ABORTED
}
