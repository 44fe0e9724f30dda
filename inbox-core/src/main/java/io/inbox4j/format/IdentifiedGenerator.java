package io.inbox4j.format;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.util.JsonGeneratorDelegate;

/**
 * Writes the message id where the event has none, and rejects what no reader accepts: NaN and
 * infinity, very long numbers, and deep nesting.
 */
final class IdentifiedGenerator extends JsonGeneratorDelegate {

  private final String messageId;

  IdentifiedGenerator(JsonGenerator generator, UUID messageId) {
    super(generator, false);
    this.messageId = messageId.toString();
  }

  @Override
  public JsonGenerator writeNull() {
    TokenStreamContext context = streamWriteContext();
    boolean isId =
        context.inObject()
            && context.getNestingDepth() == 1
            && BodyId.FIELD.equals(context.currentName());
    return isId ? writeString(messageId) : super.writeNull();
  }

  @Override
  public JsonGenerator writeNumber(double number) {
    requireFinite(number);
    return super.writeNumber(number);
  }

  @Override
  public JsonGenerator writeNumber(float number) {
    requireFinite(number);
    return super.writeNumber(number);
  }

  @Override
  public JsonGenerator writeArray(double[] numbers, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      requireFinite(numbers[i]);
    }
    return super.writeArray(numbers, offset, length);
  }

  @Override
  public JsonGenerator writeNumber(BigInteger number) {
    if (number != null) {
      requireShort(number.toString());
    }
    return super.writeNumber(number);
  }

  @Override
  public JsonGenerator writeNumber(BigDecimal number) {
    if (number != null) {
      requireShort(number.toString());
    }
    return super.writeNumber(number);
  }

  private static void requireShort(String number) {
    int exponent = number.indexOf('E');
    if (number.length() > JsonFormat.MAX_NUMBER_LENGTH
        || (exponent >= 0 && number.length() - exponent - 2 > JsonFormat.MAX_EXPONENT_DIGITS)) {
      throw new Unreadable(
          "it has %d characters; expected at most %d, and an exponent of at most %d digits"
              .formatted(
                  number.length(), JsonFormat.MAX_NUMBER_LENGTH, JsonFormat.MAX_EXPONENT_DIGITS));
    }
  }

  @Override
  public JsonGenerator writeStartObject() {
    return shallow(super.writeStartObject());
  }

  @Override
  public JsonGenerator writeStartObject(Object value) {
    return shallow(super.writeStartObject(value));
  }

  @Override
  public JsonGenerator writeStartObject(Object value, int size) {
    return shallow(super.writeStartObject(value, size));
  }

  @Override
  public JsonGenerator writeStartArray() {
    return shallow(super.writeStartArray());
  }

  @Override
  public JsonGenerator writeStartArray(Object value) {
    return shallow(super.writeStartArray(value));
  }

  @Override
  public JsonGenerator writeStartArray(Object value, int size) {
    return shallow(super.writeStartArray(value, size));
  }

  private JsonGenerator shallow(JsonGenerator same) {
    if (streamWriteContext().getNestingDepth() > JsonFormat.MAX_DEPTH) {
      throw new Unreadable(
          "it is nested too deeply; expected at most %d levels".formatted(JsonFormat.MAX_DEPTH));
    }
    return same;
  }

  private static void requireFinite(double number) {
    if (!Double.isFinite(number)) {
      throw new Unreadable("it is %s; expected a finite number".formatted(number));
    }
  }

  /** Thrown for what no reader accepts. */
  static final class Unreadable extends StreamWriteException {

    Unreadable(String message) {
      super(null, message);
    }
  }
}
