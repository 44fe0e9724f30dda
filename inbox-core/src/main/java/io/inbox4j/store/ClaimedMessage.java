package io.inbox4j.store;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message that a worker has claimed.
 *
 * @param sequence its position in arrival order, unique in the store
 * @param messageId its identity within the endpoint
 * @param type the stable name of the event's type
 * @param contentType the MIME type of the body as received, or null
 * @param body the bytes as received
 * @param headers the headers as JSON, or null
 * @param correlationId the correlation id, or null
 * @param source the sending application, or null
 * @param redelivered whether the broker flagged the delivery as redelivered
 * @param receivedAt when it was stored
 * @param dueAt when it became due
 * @param lag the time from storing the message to claiming it, not negative
 * @param claimedNanos the {@link System#nanoTime} at which this process claimed it
 * @param orderingKey the key whose messages are handled one after the other, or null
 * @param attempts how many attempts failed
 * @param crashes how many times it was marked as a crash risk, as an orphan about to be handled:
 *     the first time together with others, from the second time on alone
 * @param orphaned whether it was in flight when a worker died or gave up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and no defensive copy needed
public record ClaimedMessage(
    long sequence,
    UUID messageId,
    String type,
    @Nullable String contentType,
    byte[] body,
    @Nullable String headers,
    @Nullable String correlationId,
    @Nullable String source,
    boolean redelivered,
    Instant receivedAt,
    Instant dueAt,
    Duration lag,
    long claimedNanos,
    @Nullable String orderingKey,
    int attempts,
    int crashes,
    boolean orphaned) {

  /** The number of the current attempt, starting at 1; attempts that ended with a crash count. */
  public int attempt() {
    return attempts + Math.max(1, crashes - 1);
  }

  /** The time since it was stored. */
  public Duration lagNow() {
    return lag.plusNanos(System.nanoTime() - claimedNanos);
  }

  /** A copy marked as a crash risk if the message is orphaned, otherwise an equal copy. */
  public ClaimedMessage atRisk() {
    return new ClaimedMessage(
        sequence,
        messageId,
        type,
        contentType,
        body,
        headers,
        correlationId,
        source,
        redelivered,
        receivedAt,
        dueAt,
        lag,
        claimedNanos,
        orderingKey,
        attempts,
        orphaned ? crashes + 1 : crashes,
        orphaned);
  }

  /** Identifies the message without revealing its content. */
  @Override
  public String toString() {
    return "ClaimedMessage[%d, %s, %s, %d bytes]".formatted(sequence, messageId, type, body.length);
  }
}
