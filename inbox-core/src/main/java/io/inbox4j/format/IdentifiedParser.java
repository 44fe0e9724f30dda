package io.inbox4j.format;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.util.JsonParserSequence;
import tools.jackson.databind.util.TokenBuffer;

/**
 * A parser that reads an object as if its first field were this message id. The object's own field
 * of that name is skipped.
 */
final class IdentifiedParser extends JsonParserSequence {

  private final JsonParser body;

  /**
   * @param body positioned at the start of the object
   */
  static IdentifiedParser of(String messageId, JsonParser body) {
    TokenBuffer head = TokenBuffer.forGeneration();
    head.writeStartObject();
    head.writeName(BodyId.FIELD);
    head.writeString(messageId);
    return new IdentifiedParser(head.asParser(body.objectReadContext()), body);
  }

  private IdentifiedParser(JsonParser head, JsonParser body) {
    super(false, new JsonParser[] {head, body});
    this.body = body;
  }

  @Override
  public JsonToken nextToken() {
    JsonToken token = super.nextToken();
    while (token == JsonToken.PROPERTY_NAME && isItsOwnId()) {
      super.nextToken();
      skipChildren();
      token = super.nextToken();
    }
    return token;
  }

  private boolean isItsOwnId() {
    return delegate == body
        && body.streamReadContext().getNestingDepth() == 1
        && BodyId.FIELD.equals(body.currentName());
  }

  @Override
  public JsonToken nextValue() {
    JsonToken token = nextToken();
    return token == JsonToken.PROPERTY_NAME ? nextToken() : token;
  }
}
