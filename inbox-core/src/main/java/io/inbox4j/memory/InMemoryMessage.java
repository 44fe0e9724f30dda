package io.inbox4j.memory;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message in an {@link InMemoryInboxStore}.
 *
 * @param sequence its position in arrival order
 * @param endpoint the endpoint that received it
 * @param messageId its identity
 * @param type the event's type
 * @param status what it is now
 * @param attempts how many attempts failed or, if it is processed, were made
 * @param error the last failure, or null if there was none or it is over
 */
public record InMemoryMessage(
    long sequence,
    String endpoint,
    UUID messageId,
    String type,
    Status status,
    int attempts,
    @Nullable String error) {

  /** What a message is. */
  public enum Status {
    /** Still to be handled. */
    PENDING,
    /** Its handler has succeeded. */
    PROCESSED,
    /** Given up on. */
    DEAD,
    /** Discarded by an operator. */
    DISCARDED
  }

  static InMemoryMessage of(
      StoredMessage message, Status status, int attempts, @Nullable String error) {
    return new InMemoryMessage(
        message.sequence(),
        message.endpoint(),
        message.messageId(),
        message.type(),
        status,
        attempts,
        error);
  }
}
