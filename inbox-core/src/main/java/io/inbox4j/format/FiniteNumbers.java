package io.inbox4j.format;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.ext.jdk8.OptionalDoubleDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.ArrayType;

/**
 * Rejects the strings {@code "NaN"} and {@code "Infinity"} where a number is expected: Jackson
 * accepts them as numbers whatever its coercion settings. {@link FiniteParser} does the same for
 * numeric tokens.
 */
final class FiniteNumbers extends SimpleModule {

  private static final Set<Class<?>> NUMBERS =
      Set.of(
          double.class,
          Double.class,
          float.class,
          Float.class,
          Number.class,
          double[].class,
          float[].class);

  FiniteNumbers() {
    setDeserializerModifier(new Modifier());
    addDeserializer(OptionalDouble.class, new CheckedOptional()); // modifiers do not reach it
  }

  static boolean isFinite(@Nullable Object value) {
    if (value instanceof Double number) {
      return Double.isFinite(number);
    }
    if (value instanceof Float number) {
      return Float.isFinite(number);
    }
    if (value instanceof double[] numbers) {
      return Arrays.stream(numbers).allMatch(Double::isFinite);
    }
    if (value instanceof float[] numbers) {
      for (float number : numbers) {
        if (!Float.isFinite(number)) {
          return false;
        }
      }
    }
    return true;
  }

  private static final class Modifier extends ValueDeserializerModifier {

    @Override
    public ValueDeserializer<?> modifyDeserializer(
        DeserializationConfig config,
        BeanDescription.Supplier type,
        ValueDeserializer<?> deserializer) {
      return checked(type.getBeanClass(), deserializer);
    }

    @Override
    public ValueDeserializer<?> modifyArrayDeserializer(
        DeserializationConfig config,
        ArrayType type,
        BeanDescription.Supplier description,
        ValueDeserializer<?> deserializer) {
      return checked(type.getRawClass(), deserializer);
    }

    private static ValueDeserializer<?> checked(Class<?> type, ValueDeserializer<?> deserializer) {
      return NUMBERS.contains(type) ? new Checked(deserializer) : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(
        DeserializationConfig config, JavaType type, KeyDeserializer deserializer) {
      return NUMBERS.contains(type.getRawClass())
          ? new CheckedKey(type.getRawClass(), deserializer)
          : deserializer;
    }
  }

  private static final class Checked extends DelegatingDeserializer {

    private Checked(ValueDeserializer<?> deserializer) {
      super(deserializer);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
      return new Checked(deserializer);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
      return finite(parser, handledType(), super.deserialize(parser, context));
    }
  }

  private static final class CheckedOptional extends OptionalDoubleDeserializer {

    @Override
    public OptionalDouble deserialize(JsonParser parser, DeserializationContext context) {
      OptionalDouble value = super.deserialize(parser, context);
      value.ifPresent(number -> finite(parser, OptionalDouble.class, number));
      return value;
    }
  }

  private static final class CheckedKey extends KeyDeserializer {

    private final Class<?> type;
    private final KeyDeserializer deserializer;

    private CheckedKey(Class<?> type, KeyDeserializer deserializer) {
      this.type = type;
      this.deserializer = deserializer;
    }

    @Override
    public @Nullable Object deserializeKey(String key, DeserializationContext context) {
      return finite(context.getParser(), type, deserializer.deserializeKey(key, context));
    }
  }

  private static @Nullable Object finite(
      @Nullable JsonParser parser, Class<?> type, @Nullable Object value) {
    if (!isFinite(value)) {
      throw MismatchedInputException.from(parser, type, "not a finite number");
    }
    return value;
  }
}
