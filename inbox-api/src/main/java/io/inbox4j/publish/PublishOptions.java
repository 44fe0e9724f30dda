package io.inbox4j.publish;

import io.inbox4j.internal.DurationRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an outgoing message has besides its event. Immutable.
 *
 * <pre>{@code
 * context.publish(new OrderPaid(null, orderId), PublishOptions.none().orderingKey(orderId));
 * }</pre>
 *
 * @param headers strings, numbers, booleans, nulls, and lists and maps of these
 * @param orderingKey messages with the same key are sent in the order in which they were published;
 *     null for that of the event
 * @param correlationId what the message belongs to; null for that of the message that is handled,
 *     or its id if it has none
 * @param delay how long the message is kept before it is sent, or null
 * @param sendAt the time before which it is not sent, or null
 * @param expiresAfter how long it may wait in a queue before the broker drops it, or null
 * @param priority its priority in queues that have priorities, 0 to 255, or null
 */
public record PublishOptions(
    Map<String, @Nullable Object> headers,
    @Nullable String orderingKey,
    @Nullable String correlationId,
    @Nullable Duration delay,
    @Nullable Instant sendAt,
    @Nullable Duration expiresAfter,
    @Nullable Integer priority) {

  /**
   * The maximum length of an ordering key, a correlation id or the name of a header, in bytes of
   * UTF-8.
   */
  public static final int MAX_TEXT = 255;

  private static final int MAX_DEPTH = 10;
  private static final Set<Class<?>> NUMBERS =
      Set.of(
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          BigInteger.class,
          BigDecimal.class);

  private static final DurationRange DELAYS =
      new DurationRange(Duration.ZERO, Duration.ofDays(366));
  private static final DurationRange EXPIRIES = DurationRange.upTo(Duration.ofDays(366));
  private static final PublishOptions NONE =
      new PublishOptions(Map.of(), null, null, null, null, null, null);

  public PublishOptions {
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    headers.keySet().forEach(name -> checkText("the name of a header", name));
    headers.forEach((name, value) -> checkHeader(name, value, 1));
    checkText("the ordering key", orderingKey);
    checkText("the correlation id", correlationId);
    if (delay != null) {
      DELAYS.check("the delay", delay);
    }
    if (expiresAfter != null) {
      EXPIRIES.check("the time after which a message expires", expiresAfter);
    }
    if (delay != null && sendAt != null) {
      throw new IllegalArgumentException(
          "a message has the delay %s and the time %s; expected one of them"
              .formatted(delay, sendAt));
    }
    if (priority != null && (priority < 0 || priority > 255)) {
      throw new IllegalArgumentException(
          "the priority is %d; expected 0 to 255".formatted(priority));
    }
  }

  private static void checkHeader(String name, @Nullable Object value, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "the header '%s' is nested deeper than %d levels".formatted(name, MAX_DEPTH));
    }
    if (value instanceof Map<?, ?> map) {
      map.keySet().forEach(key -> checkKey(name, key));
      map.values().forEach(inner -> checkHeader(name, inner, depth + 1));
    } else if (value instanceof List<?> list) {
      list.forEach(inner -> checkHeader(name, inner, depth + 1));
    } else if (value != null
        && !(value instanceof String)
        && !(value instanceof Boolean)
        && !NUMBERS.contains(value.getClass())) {
      throw new IllegalArgumentException(
          "the header '%s' has a %s; expected a string, a number, a boolean, null, or a list or map of these"
              .formatted(name, value.getClass().getName()));
    }
  }

  private static void checkKey(String name, @Nullable Object key) {
    if (!(key instanceof String)) {
      throw new IllegalArgumentException(
          "the header '%s' is a map with a key that is no string".formatted(name));
    }
  }

  private static void checkText(String what, @Nullable String text) {
    if (text != null && (text.isEmpty() || bytes(text) > MAX_TEXT || text.indexOf('\0') >= 0)) {
      throw new IllegalArgumentException(
          "%s is '%s'; expected 1 to %d bytes in UTF-8 without a zero character"
              .formatted(what, text.replace('\0', '?'), MAX_TEXT));
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** No options. */
  public static PublishOptions none() {
    return NONE;
  }

  /** Returns a copy with this header, a value of null included. */
  public PublishOptions header(String name, @Nullable Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new PublishOptions(
        more, orderingKey, correlationId, delay, sendAt, expiresAfter, priority);
  }

  /** Returns a copy with this ordering key. */
  public PublishOptions orderingKey(String key) {
    return new PublishOptions(headers, key, correlationId, delay, sendAt, expiresAfter, priority);
  }

  /** Returns a copy with this correlation id. */
  public PublishOptions correlationId(String id) {
    return new PublishOptions(headers, orderingKey, id, delay, sendAt, expiresAfter, priority);
  }

  /** Returns a copy for a message that is sent after this time: zero to 366 days. */
  public PublishOptions delay(Duration time) {
    return new PublishOptions(
        headers, orderingKey, correlationId, time, null, expiresAfter, priority);
  }

  /** Returns a copy for a message that is not sent before this time. */
  public PublishOptions sendAt(Instant time) {
    return new PublishOptions(
        headers, orderingKey, correlationId, null, time, expiresAfter, priority);
  }

  /** Returns a copy for a message that may wait in a queue for so long: 1 ms to 366 days. */
  public PublishOptions expiresAfter(Duration time) {
    return new PublishOptions(headers, orderingKey, correlationId, delay, sendAt, time, priority);
  }

  /** Returns a copy with this priority: 0 to 255. */
  public PublishOptions priority(int value) {
    return new PublishOptions(
        headers, orderingKey, correlationId, delay, sendAt, expiresAfter, value);
  }
}
