package io.inbox4j.transport;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the broker handed over, before anybody has looked at it.
 *
 * @param messageId the id that the producer set, or null
 * @param type the event type that the producer set, or null
 * @param contentType the MIME type of the body, or null
 * @param contentEncoding how the body is compressed, or null
 * @param correlationId the correlation id that the producer set, or null
 * @param source the application that sent it, as it called itself, or null
 * @param headers strings, numbers, booleans, nulls, and lists and maps of these
 * @param body the bytes as they came
 * @param redelivered whether the broker has delivered it before
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody, and copied for nobody
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
   * The header in which a transport names those headers that it cannot read. What it has of them
   * are their bytes, in Base64. Such a delivery is no event.
   */
  public static final String UNREADABLE_HEADERS = "x-inbox-unreadable-headers";

  /** Says what it is, never what is in it. */
  @Override
  public String toString() {
    return "Delivery[messageId=%s, type=%s, %d bytes]".formatted(messageId, type, body.length);
  }
}
