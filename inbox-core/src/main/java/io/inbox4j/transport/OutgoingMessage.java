package io.inbox4j.transport;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message to be sent.
 *
 * @param messageId its id, the same whenever it is sent again
 * @param destination where it goes
 * @param type the name of its event type
 * @param contentType the MIME type of the body
 * @param body the event as bytes
 * @param headers strings, numbers, booleans, nulls, and lists and maps of these
 * @param correlationId what it belongs to, or null
 * @param source the name of the sending application, or null
 * @param orderingKey the key of messages that are sent in the order in which they were published,
 *     or null
 * @param expiresAfter how long it may wait in a queue, or null
 * @param priority its priority, or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and no defensive copy needed
public record OutgoingMessage(
    UUID messageId,
    Destination destination,
    String type,
    String contentType,
    byte[] body,
    Map<String, @Nullable Object> headers,
    @Nullable String correlationId,
    @Nullable String source,
    @Nullable String orderingKey,
    @Nullable Duration expiresAfter,
    @Nullable Integer priority) {

  /** The header in which a receiver finds the ordering key. */
  public static final String ORDERING_KEY_HEADER = "x-ordering-key";

  /** Where a message goes. */
  public sealed interface Destination {

    /** The name of the topic or of the queue. */
    String name();
  }

  /**
   * Everybody who is subscribed to a topic, which the transport creates if it is missing: with
   * RabbitMQ an exchange.
   */
  public record Topic(String name) implements Destination {
    public Topic {
      check("topic", name);
    }
  }

  /** One queue, which must exist. */
  public record Queue(String name) implements Destination {
    public Queue {
      check("queue", name);
    }
  }

  private static void check(String what, String name) {
    if (name.isBlank() || name.length() > 255 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the %s is '%s'; expected a name of 1 to 255 characters"
              .formatted(what, name.replace('\0', '?')));
    }
  }

  /** The approximate size in memory, in bytes. */
  public long size() {
    return body.length + 500L;
  }

  /** Identifies the message without revealing its content. */
  @Override
  public String toString() {
    return "OutgoingMessage[%s, %s to %s]".formatted(messageId, type, destination);
  }
}
