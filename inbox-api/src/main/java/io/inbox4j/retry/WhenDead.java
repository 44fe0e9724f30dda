package io.inbox4j.retry;

/** What happens to later messages of an ordering key when one of its messages is dead. */
public enum WhenDead {
  /** They are handled; the dead message loses its place in the order. */
  CONTINUE,
  /** They wait until an operator replays or discards the dead message. */
  BLOCK_KEY
}
