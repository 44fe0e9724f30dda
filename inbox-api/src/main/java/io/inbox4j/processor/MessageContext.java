package io.inbox4j.processor;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.receive.internal.HeaderJson;
import io.inbox4j.store.StoredMessage;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a handler is told about a claimed message. */
record MessageContext(
    String endpoint, StoredMessage message, int attempt, EventTransaction transaction)
    implements EventContext {

  @Override
  public UUID messageId() {
    return message.messageId();
  }

  @Override
  public String type() {
    return message.type();
  }

  @Override
  public Map<String, @Nullable Object> headers() {
    return HeaderJson.read(message.headers());
  }

  @Override
  public @Nullable String correlationId() {
    return message.correlationId();
  }

  @Override
  public @Nullable String source() {
    return message.source();
  }

  @Override
  public Instant receivedAt() {
    return message.receivedAt();
  }

  @Override
  public boolean redelivered() {
    return message.redelivered();
  }

  @Override
  public void commitWith(Effect effect) throws Exception {
    effect.apply(transaction);
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return transaction.unwrap(type);
  }
}
