package io.inbox4j.memory;

import io.inbox4j.operations.DeadMessage;
import java.time.Instant;

/** A message that was given up on. */
record DeadRow(
    StoredMessage message, int attempts, int replays, String error, boolean blocksKey, Instant at) {

  DeadMessage listed() {
    return new DeadMessage(
        message.sequence(),
        message.endpoint(),
        message.messageId(),
        message.type(),
        attempts,
        replays,
        error,
        at);
  }
}
