package io.inbox4j.processor;

/** What becomes of later messages of an ordering key when one of its messages dies. */
public enum WhenDead {
  /** They are handled; the dead message has lost its place. */
  GO_ON,
  /** They wait until somebody replays or discards the dead message. */
  WAIT
}
