package io.inbox4j.store;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement that a handler has handed over, to be executed with others.
 *
 * <p>It owns its arguments: an enum is kept as its name, and a {@code byte[]} as a copy.
 *
 * @param statement the statement, in the language of the store
 * @param arguments its arguments, each null or of one of the classes that {@link
 *     io.inbox4j.handler.EventTransaction#write} lists
 */
public record Write(String statement, List<@Nullable Object> arguments) {

  private static final Set<Class<?>> TYPES =
      Set.of(
          String.class,
          Boolean.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class,
          Instant.class,
          OffsetDateTime.class,
          LocalDateTime.class,
          LocalDate.class,
          LocalTime.class,
          byte[].class);

  /** Checks and copies the arguments. */
  public Write {
    Objects.requireNonNull(statement, "statement");
    List<@Nullable Object> owned = new ArrayList<>(arguments.size());
    for (Object argument : arguments) {
      owned.add(owned(argument, owned.size() + 1));
    }
    arguments = Collections.unmodifiableList(owned);
  }

  private static @Nullable Object owned(@Nullable Object argument, int position) {
    if (argument instanceof Enum<?> constant) {
      return constant.name();
    }
    if (argument instanceof byte[] bytes) {
      return bytes.clone();
    }
    if (argument == null || TYPES.contains(argument.getClass())) {
      return argument;
    }
    throw new IllegalArgumentException(
        "argument %d of a statement to write is a %s; expected null, an enum or one of %s"
            .formatted(position, argument.getClass().getTypeName(), names()));
  }

  private static String names() {
    return TYPES.stream().map(Class::getSimpleName).sorted().collect(Collectors.joining(", "));
  }

  /** The approximate length of its arguments. */
  public long length() {
    long length = 0;
    for (Object argument : arguments) {
      length +=
          argument instanceof String text
              ? text.length()
              : argument instanceof byte[] bytes ? bytes.length : Long.BYTES;
    }
    return length;
  }
}
