package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.inbox4j.transport.Delivery;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A delivery as amqp-client hands it over, not inspected yet. */
@SuppressWarnings("ArrayRecordComponent") // neither compared nor shared
record AmqpDelivery(Envelope envelope, BasicProperties properties, byte[] body) {

  Delivery toDelivery() {
    return toDelivery(headers(properties.getHeaders()));
  }

  /** Converts it with these headers in place of the received ones. */
  Delivery toDelivery(Map<String, @Nullable Object> headers) {
    return new Delivery(
        properties.getMessageId(),
        properties.getType(),
        properties.getContentType(),
        properties.getContentEncoding(),
        properties.getCorrelationId(),
        properties.getAppId(),
        headers,
        body,
        envelope.isRedeliver());
  }

  private static Map<String, @Nullable Object> headers(@Nullable Map<String, Object> table) {
    return table == null || table.isEmpty() ? Map.of() : plain(table);
  }

  private static Map<String, @Nullable Object> plain(Map<?, ?> table) {
    Map<String, @Nullable Object> plain = new LinkedHashMap<>();
    table.forEach((name, value) -> plain.put(String.valueOf(name), plain(value)));
    return plain;
  }

  /** Converts AMQP-specific types to types that JSON has. */
  private static @Nullable Object plain(@Nullable Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) {
      return value;
    }
    if (value instanceof Map<?, ?> table) {
      return plain(table);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> plain = new ArrayList<>(list.size());
      list.forEach(element -> plain.add(plain(element)));
      return plain;
    }
    if (value instanceof Date date) {
      return date.toInstant().toString();
    }
    if (value instanceof byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
    return value.toString();
  }
}
