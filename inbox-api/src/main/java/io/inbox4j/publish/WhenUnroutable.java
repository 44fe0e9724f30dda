package io.inbox4j.publish;

/** What happens to a message for which the broker has no queue. */
public enum WhenUnroutable {
  /** It is kept, with its body and the reason, until an operator replays or discards it. */
  KEEP,
  /** It is dropped and counted. */
  DROP
}
