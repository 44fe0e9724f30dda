package io.inbox4j.store;

/** Whose fault a failure is. */
public enum Fault {
  /** The message's or its handler's: it uses up an attempt. */
  MESSAGE,
  /** The infrastructure's: the transaction is given up, and no attempt is used up. */
  INFRASTRUCTURE,
  /** A statement before had failed, and its error was swallowed: who did it is not known yet. */
  ABORTED
}
