package io.inbox4j.internal.receive;

import io.inbox4j.format.JsonFormat;
import io.inbox4j.listener.QuarantineReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Validates a body in one pass, without building a tree: whether it is one JSON object in UTF-8,
 * and which message id it contains.
 */
final class JsonValidator {

  private static final String ID_FIELD = "messageId";

  private static final VarHandle EIGHT_BYTES =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long EACH_1 = 0x0101010101010101L;
  private static final long EACH_HIGH_BIT = 0x8080808080808080L;

  private final JsonFactory factory = JsonFormat.factory();

  /** The text of the body's message id, or null if there is none. */
  @Nullable String messageIdIn(byte[] body) throws RejectedDelivery {
    checkUtf8(body);
    try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), body)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new RejectedDelivery(
            QuarantineReason.EMPTY_BODY, "the body has nothing but white space");
      }
      if (first != JsonToken.START_OBJECT) {
        throw new RejectedDelivery(
            QuarantineReason.NOT_AN_OBJECT,
            "the body is a JSON %s; an event is a JSON object".formatted(describe(first)));
      }
      String id = walk(parser);
      if (parser.nextToken() != null) {
        throw new RejectedDelivery(
            QuarantineReason.INVALID_JSON, "something follows the end of the JSON object");
      }
      return id;
    } catch (StreamConstraintsException e) {
      throw new RejectedDelivery(QuarantineReason.JSON_LIMIT, e.getOriginalMessage());
    } catch (JacksonException e) {
      throw new RejectedDelivery(
          QuarantineReason.INVALID_JSON,
          "not valid JSON at line %d, column %d: it breaks off, or has a character that JSON does not allow there"
              .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    }
  }

  private static @Nullable String walk(JsonParser parser) throws RejectedDelivery {
    String id = null;
    boolean seen = false;
    int depth = 1;
    while (depth > 0) {
      JsonToken token = parser.nextToken();
      if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      } else if (token.isNumeric()) {
        parser.getNumberType(); // numbers are only checked when accessed
        if (token == JsonToken.VALUE_NUMBER_FLOAT) {
          checkExponent(parser.getString());
        }
      } else if (depth == 1
          && token == JsonToken.PROPERTY_NAME
          && ID_FIELD.equals(parser.currentName())) {
        if (seen) {
          throw new RejectedDelivery(
              QuarantineReason.BAD_ID, "the body has the field messageId twice");
        }
        seen = true;
        id = idText(parser);
      }
    }
    return id;
  }

  /**
   * A few characters can denote a number that exhausts the memory once it is used in a calculation.
   */
  private static void checkExponent(String number) throws RejectedDelivery {
    int e = Math.max(number.indexOf('e'), number.indexOf('E'));
    if (e < 0) {
      return;
    }
    String digits = number.substring(e + 1).replaceFirst("^[+-]?0*", "");
    if (digits.length() > JsonFormat.MAX_EXPONENT_DIGITS) {
      throw new RejectedDelivery(
          QuarantineReason.JSON_LIMIT,
          "the exponent of a number has %d digits; at most %d are accepted"
              .formatted(digits.length(), JsonFormat.MAX_EXPONENT_DIGITS));
    }
  }

  private static @Nullable String idText(JsonParser parser) throws RejectedDelivery {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token != JsonToken.VALUE_STRING) {
      throw new RejectedDelivery(
          QuarantineReason.BAD_ID,
          "the body's messageId is a JSON %s; expected a string".formatted(describe(token)));
    }
    return parser.getString();
  }

  private static void checkUtf8(byte[] body) throws RejectedDelivery {
    if (isPlainAscii(body)) {
      return;
    }
    for (byte b : body) {
      if (b == 0) {
        throw new RejectedDelivery(
            QuarantineReason.NOT_UTF8,
            "the body has zero bytes, as UTF-16 and UTF-32 have; expected UTF-8");
      }
    }
    if (body.length > 2 && body[0] == (byte) 0xEF && body[1] == (byte) 0xBB) {
      throw new RejectedDelivery(
          QuarantineReason.INVALID_JSON, "the body begins with a byte order mark; JSON has none");
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
    } catch (CharacterCodingException e) {
      throw new RejectedDelivery(
          QuarantineReason.NOT_UTF8, "the body is not valid UTF-8: " + e.getMessage());
    }
  }

  /** Whether all bytes are from 1 to 127; checks eight at a time. */
  private static boolean isPlainAscii(byte[] body) {
    int i = 0;
    for (; i + Long.BYTES <= body.length; i += Long.BYTES) {
      long eight = (long) EIGHT_BYTES.get(body, i);
      // The high bit of a byte is set here if it was set before, or if the byte was 0.
      if ((((eight - EACH_1) | eight) & EACH_HIGH_BIT) != 0) {
        return false;
      }
    }
    for (; i < body.length; i++) {
      if (body[i] <= 0) {
        return false;
      }
    }
    return true;
  }

  private static String describe(JsonToken token) {
    return switch (token) {
      case START_ARRAY -> "array";
      case START_OBJECT -> "object";
      case VALUE_STRING -> "string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "number";
      case VALUE_TRUE, VALUE_FALSE -> "boolean";
      case VALUE_NULL -> "null";
      default -> "value";
    };
  }
}
