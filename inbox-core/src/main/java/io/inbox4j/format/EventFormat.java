package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How events are read from bodies of some content types. Thread-safe.
 *
 * <p>The body of a message is stored as it came, byte for byte, with its content type; it is read
 * when the message is handled, and before that if its ordering key is in the event. What a format
 * throws makes the message unreadable: trying again would not help.
 */
public interface EventFormat {

  /** What it reads, without parameters: {@code application/cbor}. Asked once; at least one. */
  Set<String> contentTypes();

  /**
   * The message id that the body carries, as text, or null if it carries none. It is asked for
   * every message before it is stored; a message for which it throws is quarantined.
   *
   * <p>By default bodies carry none.
   */
  default @Nullable String messageIdIn(byte[] body) throws Exception {
    return null;
  }

  /**
   * The event in the body.
   *
   * @param type the class to read, and the upcaster to apply first if it is an old version
   * @param messageId the id that the message is stored under, for a body that does not carry it
   */
  <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId)
      throws Exception;
}
