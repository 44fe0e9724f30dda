package io.inbox4j.format;

import tools.jackson.core.JsonParser;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.databind.exc.JsonNodeException;

/**
 * An exact parser that rejects a number outside the range of the requested double or float. Jackson
 * reads it as infinity.
 */
final class FiniteParser extends ExactParser {

  FiniteParser(JsonParser parser) {
    super(parser);
  }

  @Override
  public double getDoubleValue() {
    try {
      double value = super.getDoubleValue();
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (JsonNodeException e) { // thrown when reading from a tree
      throw outOfRange(double.class);
    }
    throw outOfRange(double.class);
  }

  @Override
  public float getFloatValue() {
    try {
      float value = super.getFloatValue();
      if (Float.isFinite(value)) {
        return value;
      }
    } catch (JsonNodeException e) {
      throw outOfRange(float.class);
    }
    throw outOfRange(float.class);
  }

  private InputCoercionException outOfRange(Class<?> type) {
    return new InputCoercionException(this, "not a finite number", currentToken(), type);
  }
}
