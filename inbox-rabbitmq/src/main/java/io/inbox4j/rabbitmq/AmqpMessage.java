package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.transport.OutgoingMessage;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing message as amqp-client takes it.
 *
 * @param exchange where it is published to; empty for the default exchange
 */
@SuppressWarnings({
  "ArrayRecordComponent", // neither compared nor shared
  "JavaUtilDate" // the client's type
})
record AmqpMessage(
    UUID id, String exchange, String routingKey, BasicProperties properties, byte[] body) {

  private static final int PERSISTENT = 2;

  /** The maximum length of a name, in bytes. */
  private static final int MAX_NAME = 255;

  /** The longest expiration that the broker accepts, about 50 days. */
  private static final long MAX_EXPIRATION = 4_294_967_295L;

  private static final int MAX_DECIMAL_SCALE = 255;
  private static final int MAX_DECIMAL_BITS = 31;

  static AmqpMessage of(OutgoingMessage message) {
    boolean toTopic = message.destination() instanceof OutgoingMessage.Topic;
    return new AmqpMessage(
        message.messageId(),
        toTopic ? message.destination().name() : "",
        toTopic ? message.type() : message.destination().name(),
        new BasicProperties.Builder()
            .messageId(message.messageId().toString())
            .type(message.type())
            .contentType(message.contentType())
            .correlationId(message.correlationId())
            .appId(message.source())
            .expiration(expiration(message.expiresAfter()))
            .priority(message.priority())
            .timestamp(new Date())
            .deliveryMode(PERSISTENT)
            .headers(headers(message))
            .build(),
        message.body());
  }

  private static @Nullable String expiration(@Nullable Duration expiresAfter) {
    return expiresAfter == null || expiresAfter.toMillis() > MAX_EXPIRATION
        ? null
        : Long.toString(expiresAfter.toMillis());
  }

  private static Map<String, @Nullable Object> headers(OutgoingMessage message) {
    Map<String, @Nullable Object> headers = table(message.headers());
    if (message.orderingKey() != null) {
      headers.put(OutgoingMessage.ORDERING_KEY_HEADER, message.orderingKey());
    }
    return headers;
  }

  private static Map<String, @Nullable Object> table(Map<?, ?> values) {
    Map<String, @Nullable Object> table = new LinkedHashMap<>();
    values.forEach((name, value) -> table.put(String.valueOf(name), value(value)));
    return table;
  }

  /** Converts numbers that AMQP does not have to text. */
  private static @Nullable Object value(@Nullable Object value) {
    if (value instanceof Map<?, ?> table) {
      return table(table);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> values = new ArrayList<>(list.size());
      list.forEach(element -> values.add(value(element)));
      return values;
    }
    if (value instanceof BigInteger number) {
      return number.bitLength() < Long.SIZE ? number.longValue() : number.toString();
    }
    if (value instanceof BigDecimal number) {
      return isDecimal(number) ? number : number.toString();
    }
    return value;
  }

  private static boolean isDecimal(BigDecimal number) {
    return number.scale() >= 0
        && number.scale() <= MAX_DECIMAL_SCALE
        && number.unscaledValue().bitLength() <= MAX_DECIMAL_BITS;
  }

  /** Whether it goes to an exchange that has to be there, rather than directly to a queue. */
  boolean isToExchange() {
    return !exchange.isEmpty();
  }

  /**
   * Why it cannot be written, or null if it can. The client finds that out only when it has counted
   * the message, and its numbers would no longer be those of the broker.
   *
   * @param maxFrame the maximum size of a frame in bytes, or 0 if there is none
   */
  @Nullable String defect(int maxFrame) {
    if (Stream.of(exchange, routingKey).anyMatch(AmqpMessage::isTooLong)) {
      return "the name of its destination or its type has more than 255 bytes";
    }
    try {
      int size = properties.toFrame(1, body.length).size();
      return maxFrame > 0 && size > maxFrame
          ? "its properties and headers have %d bytes; the broker accepts at most %d"
              .formatted(size, maxFrame)
          : null;
    } catch (IOException | RuntimeException e) {
      return "its properties and headers do not fit AMQP, which has texts of up to 255 bytes in"
          + " properties and names of headers, and strings, numbers, booleans, lists and maps in"
          + " headers: "
          + LoggedFailure.kind(e);
    }
  }

  private static boolean isTooLong(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME;
  }

  /** Identifies the message without revealing its content. */
  @Override
  public String toString() {
    return "AmqpMessage[%s to exchange '%s' as '%s']".formatted(id, exchange, routingKey);
  }
}
