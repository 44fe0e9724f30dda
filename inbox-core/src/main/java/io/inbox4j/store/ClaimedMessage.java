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
 * @param contentType the MIME type of the body as it came, or null
 * @param body the bytes as they came
 * @param headers the headers as JSON, or null
 * @param correlationId the correlation id, or null
 * @param source the sending application, or null
 * @param redelivered whether the broker said that it had delivered it before
 * @param receivedAt when it was stored
 * @param dueAt since when it could be handled
 * @param lag from its being stored to the start of the claiming transaction
 * @param claimedNanos the {@link System#nanoTime} when this process got it
 * @param orderingKey the key of messages that are handled one after the other, or null
 * @param attempts how many attempts failed
 * @param crashes how many times it was noted that a worker began with it as an orphan: first
 *     together with others, from the second time on alone
 * @param orphaned whether a worker that had it in hand died or gave up
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
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

  /** Which attempt it is to handle it now, from 1; attempts that ended with their process count. */
  public int attempt() {
    return attempts + Math.max(1, crashes - 1);
  }

  /** How long ago it was stored. */
  public Duration lagNow() {
    return lag.plusNanos(System.nanoTime() - claimedNanos);
  }

  /** The same after it was noted that a worker begins with it, if it is an orphan. */
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

  /** Says what it is, never what is in it. */
  @Override
  public String toString() {
    return "ClaimedMessage[%d, %s, %s, %d bytes]".formatted(sequence, messageId, type, body.length);
  }
}
