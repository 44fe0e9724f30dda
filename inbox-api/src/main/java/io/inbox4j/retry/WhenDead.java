package io.inbox4j.retry;

/** What becomes of later messages of an ordering key when one of its messages dies. */
public enum WhenDead {
  /** They are handled; the dead message has lost its place. */
  CONTINUE,
  /** They wait until somebody replays or discards the dead message. */
  BLOCK_KEY
}
