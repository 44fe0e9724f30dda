package io.inbox4j.format;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.util.JsonParserDelegate;

/**
 * A parser that reads a textual decimal as a {@code BigDecimal} unless a less exact type is
 * requested. Jackson reads it as a double unless a more exact type is requested. Formats with
 * native doubles keep them.
 */
class ExactParser extends JsonParserDelegate {

  ExactParser(JsonParser parser) {
    super(parser);
  }

  private boolean isDecimalText() {
    return currentToken() == JsonToken.VALUE_NUMBER_FLOAT
        && super.getNumberTypeFP() == NumberTypeFP.UNKNOWN;
  }

  @Override
  public NumberType getNumberType() {
    return isDecimalText() ? NumberType.BIG_DECIMAL : super.getNumberType();
  }

  @Override
  public NumberTypeFP getNumberTypeFP() {
    return isDecimalText() ? NumberTypeFP.BIG_DECIMAL : super.getNumberTypeFP();
  }

  @Override
  public Number getNumberValue() {
    return isDecimalText() ? getDecimalValue() : super.getNumberValue();
  }

  @Override
  public Number getNumberValueExact() {
    return isDecimalText() ? getDecimalValue() : super.getNumberValueExact();
  }

  @Override
  public Object getNumberValueDeferred() {
    return isDecimalText() ? getDecimalValue() : super.getNumberValueDeferred();
  }
}
