package io.inbox4j.internal.receive;

import io.inbox4j.transport.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A delivery that is right in every way, to be changed in one. */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Deliveries(
    @Nullable String messageId,
    @Nullable String type,
    @Nullable String contentType,
    @Nullable String contentEncoding,
    Map<String, @Nullable Object> headers,
    byte[] body) {

  static final String ID = "0190b3a6-7c1e-7d3a-9f00-0123456789ab";

  /** Id and type are properties, the body is an empty object. */
  static Deliveries right() {
    return new Deliveries(ID, "created", "application/json", null, Map.of(), bytes("{}"));
  }

  Deliveries id(@Nullable String id) {
    return new Deliveries(id, type, contentType, contentEncoding, headers, body);
  }

  Deliveries type(@Nullable String name) {
    return new Deliveries(messageId, name, contentType, contentEncoding, headers, body);
  }

  Deliveries contentType(@Nullable String mime) {
    return new Deliveries(messageId, type, mime, contentEncoding, headers, body);
  }

  Deliveries encoding(@Nullable String encoding) {
    return new Deliveries(messageId, type, contentType, encoding, headers, body);
  }

  Deliveries headers(Map<String, @Nullable Object> headers) {
    return new Deliveries(messageId, type, contentType, contentEncoding, headers, body);
  }

  Deliveries body(byte[] bytes) {
    return new Deliveries(messageId, type, contentType, contentEncoding, headers, bytes);
  }

  /** With single quotes for double ones. */
  Deliveries body(String json) {
    return body(bytes(json.replace('\'', '"')));
  }

  Delivery delivery() {
    return new Delivery(
        messageId, type, contentType, contentEncoding, "corr", "shop", headers, body, false);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
