package io.inbox4j.transport;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as the broker delivered it, not yet validated.
 *
 * @param messageId the message id set by the producer, or null
 * @param type the event type set by the producer, or null
 * @param contentType the MIME type of the body, or null
 * @param contentEncoding how the body is compressed or encoded, or null
 * @param correlationId the correlation id set by the producer, or null
 * @param source the name of the sending application, as set by the producer, or null
 * @param headers strings, numbers, booleans, nulls, and lists and maps of these
 * @param body the bytes as received
 * @param redelivered whether the broker flagged it as redelivered
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and no defensive copy needed
public record Delivery(
    @Nullable String messageId,
    @Nullable String type,
    @Nullable String contentType,
    @Nullable String contentEncoding,
    @Nullable String correlationId,
    @Nullable String source,
    Map<String, @Nullable Object> headers,
    byte[] body,
    boolean redelivered) {

  /**
   * The header in which a transport lists the headers that it cannot read. Their values are the raw
   * bytes in Base64. Such a delivery is not a valid event.
   */
  public static final String UNREADABLE_HEADERS = "x-inbox-unreadable-headers";

  /** Identifies the delivery without revealing its content. */
  @Override
  public String toString() {
    return "Delivery[messageId=%s, type=%s, %d bytes]".formatted(messageId, type, body.length);
  }
}
