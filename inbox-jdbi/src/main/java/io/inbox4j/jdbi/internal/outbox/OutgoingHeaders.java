package io.inbox4j.jdbi.internal.outbox;

import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.transport.OutgoingMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The headers of outgoing messages as they are stored, which can be read again for certain. */
final class OutgoingHeaders {

  private OutgoingHeaders() {}

  /** The JSON of the headers. Halves of surrogate pairs, which no JSON can have, are replaced. */
  static @Nullable String json(OutgoingMessage message) {
    if (message.headers().isEmpty()) {
      return null;
    }
    try {
      return readable(message.headers());
    } catch (RuntimeException e) {
      try {
        return readable(wellFormed(message.headers()));
      } catch (RuntimeException again) { // its message may quote a header
        throw new IllegalArgumentException(
            "the headers of %s cannot be stored: %s; expected strings, numbers, booleans, nulls, and lists and maps of these"
                .formatted(message, again.getClass().getName()));
      }
    }
  }

  private static @Nullable String readable(Map<String, @Nullable Object> headers) {
    String json = HeaderJson.write(headers);
    HeaderJson.read(json);
    return json;
  }

  private static Map<String, @Nullable Object> wellFormed(Map<?, ? extends @Nullable Object> map) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>();
    map.forEach((name, value) -> copy.put(wellFormed(String.valueOf(name)), wellFormed(value)));
    return copy;
  }

  private static @Nullable Object wellFormed(@Nullable Object value) {
    if (value instanceof String text) {
      return wellFormed(text);
    }
    if (value instanceof Map<?, ?> map) {
      return wellFormed(map);
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>();
      list.forEach(element -> copy.add(wellFormed(element)));
      return copy;
    }
    return value;
  }

  private static String wellFormed(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
