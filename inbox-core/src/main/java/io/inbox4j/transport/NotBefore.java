package io.inbox4j.transport;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The header with which a producer sets the earliest time at which a message may be handled.
 *
 * <p>Its value is an ISO 8601 time with an offset, such as {@code 2030-01-31T08:00:00Z}, an AMQP
 * timestamp, or a number of milliseconds since 1970.
 */
public final class NotBefore {

  public static final String HEADER = "x-not-before";

  private static final Instant MAX = Instant.parse("9999-12-31T23:59:59Z");

  private NotBefore() {}

  /**
   * The earliest time of a delivery, or null if it has none.
   *
   * @throws DateTimeException if the header is not a valid time
   */
  public static @Nullable Instant of(Delivery delivery) {
    Object value = delivery.headers().get(HEADER);
    if (value == null) {
      return null;
    }
    Instant time =
        value instanceof Number number
            ? Instant.ofEpochMilli(number.longValue())
            : OffsetDateTime.parse(value.toString()).toInstant();
    if (time.isAfter(MAX) || time.isBefore(Instant.EPOCH)) {
      throw new DateTimeException("out of range");
    }
    return time;
  }
}
