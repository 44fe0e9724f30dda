package io.inbox4j.format;

import java.util.UUID;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.util.JsonGeneratorDelegate;

/**
 * Writes the message id where the event has none, and rejects numbers that no reader accepts: NaN
 * and infinity.
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

  private static void requireFinite(double number) {
    if (!Double.isFinite(number)) {
      throw new NotFinite(number);
    }
  }

  /** Thrown for a number that no reader accepts. */
  static final class NotFinite extends StreamWriteException {

    NotFinite(double number) {
      super(null, "it is %s; expected a finite number".formatted(number));
    }
  }
}
