package io.inbox4j.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that was claimed to be handled.
 *
 * @param sequence its place in arrival order, unique in the store
 * @param messageId its identity within the endpoint
 * @param type the stable name of the event's type
 * @param body the bytes as they came
 * @param headers the headers as JSON, or null
 * @param correlationId the correlation id, or null
 * @param source the sending application, or null
 * @param redelivered whether the broker said that it had delivered it before
 * @param receivedAt when it was stored
 * @param lag from then to the start of the claiming transaction
 * @param attempts how many attempts failed
 * @param crashes how many times its worker began with it, alone, and never ended
 * @param suspect whether an earlier transaction had it in hand and ended without an outcome
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
public record StoredMessage(
    long sequence,
    UUID messageId,
    String type,
    byte[] body,
    @Nullable String headers,
    @Nullable String correlationId,
    @Nullable String source,
    boolean redelivered,
    Instant receivedAt,
    Duration lag,
    int attempts,
    int crashes,
    boolean suspect) {

  /** Says what it is, never what is in it. */
  @Override
  public String toString() {
    return "StoredMessage[%d, %s, %s, %d bytes]".formatted(sequence, messageId, type, body.length);
  }
}
