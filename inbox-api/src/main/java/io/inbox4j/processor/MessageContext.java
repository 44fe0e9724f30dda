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
    String endpoint, StoredMessage message, EventTransaction transaction, Effects effects)
    implements EventContext {

  /** What is done with what the handler wants done in the transaction of the outcome. */
  interface Effects {
    void add(Effect effect) throws Exception;
  }

  /** For a handler that runs in the transaction. */
  static MessageContext in(String endpoint, StoredMessage message, LentTransaction transaction) {
    return new MessageContext(endpoint, message, transaction, transaction::apply);
  }

  /** For a handler that runs outside any transaction. */
  static MessageContext outside(String endpoint, StoredMessage message, Effects effects) {
    return new MessageContext(endpoint, message, new NoTransaction(), effects);
  }

  @Override
  public int attempt() {
    return message.attempt();
  }

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
    effects.add(effect);
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return transaction.unwrap(type);
  }
}
