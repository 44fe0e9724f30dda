package io.inbox4j.format;

import io.inbox4j.event.UnreadableEventException;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.ObjectMapper;

/**
 * Finds the message id in a body that Jackson reads, in one pass and without building a tree.
 *
 * @param name the name of the format
 */
record BodyId(ObjectMapper mapper, String name) {

  static final String FIELD = "messageId";

  /**
   * The text of the id, or null if there is none.
   *
   * @throws UnreadableEventException if the body is not one object
   */
  @Nullable String in(byte[] body) {
    try (JsonParser parser = mapper.createParser(body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new UnreadableEventException("the body is no %s object".formatted(name));
      }
      String id = walk(parser);
      if (parser.nextToken() != null) {
        throw new UnreadableEventException(
            "something follows the end of the %s object".formatted(name));
      }
      return id;
    } catch (JacksonException e) {
      throw new UnreadableEventException("the body is not valid %s".formatted(name));
    }
  }

  private static @Nullable String walk(JsonParser parser) {
    String id = null;
    boolean seen = false;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean isId = FIELD.equals(parser.currentName());
      parser.nextToken();
      if (isId && seen) {
        throw new UnreadableEventException("the body has the field messageId twice");
      }
      if (isId) {
        seen = true;
        id = text(parser);
      }
      parser.skipChildren();
    }
    return id;
  }

  /** Binary formats write a UUID as its 16 bytes. */
  private static @Nullable String text(JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token == JsonToken.VALUE_STRING) {
      return parser.getString();
    }
    if (token == JsonToken.VALUE_EMBEDDED_OBJECT
        && parser.getEmbeddedObject() instanceof byte[] bytes
        && bytes.length == 16) {
      ByteBuffer uuid = ByteBuffer.wrap(bytes);
      return new UUID(uuid.getLong(), uuid.getLong()).toString();
    }
    throw new UnreadableEventException(
        "the body's messageId is neither a text nor the 16 bytes of a UUID");
  }
}
