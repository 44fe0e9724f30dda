package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads events from bodies of certain content types. Thread-safe.
 *
 * <p>The body of a message is stored as received, byte for byte, with its content type; it is read
 * when the message is handled, and before that if its ordering key is in the event. If a format
 * throws, the message counts as unreadable: a retry would not help.
 */
public interface EventFormat {

  /**
   * The content types, without parameters, for example {@code application/cbor}. Called once; at
   * least one is required.
   */
  Set<String> contentTypes();

  /**
   * The message id in the body, as text, or null if there is none. It is called for every message
   * before it is stored; a message for which it throws is quarantined.
   *
   * <p>By default bodies have none.
   */
  default @Nullable String messageIdIn(byte[] body) throws Exception {
    return null;
  }

  /**
   * Reads the event in the body.
   *
   * @param type the class to read, and the upcaster to apply first if it is an old version
   * @param messageId the id under which the message is stored, for a body that does not contain it
   */
  <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId)
      throws Exception;
}
