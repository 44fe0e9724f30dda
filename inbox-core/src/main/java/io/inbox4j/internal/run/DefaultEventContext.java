package io.inbox4j.internal.run;

import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.store.ClaimedMessage;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The context of a claimed message. */
public record DefaultEventContext(
    String endpoint, ClaimedMessage message, EventTransaction transaction, Effects effects)
    implements EventContext {

  /** Accepts the effects that a handler wants applied in the transaction of the outcome. */
  public interface Effects {
    void add(Effect effect) throws Exception;
  }

  /** For a handler that runs in the transaction. */
  static DefaultEventContext in(
      String endpoint, ClaimedMessage message, HandlerTransaction transaction) {
    return new DefaultEventContext(endpoint, message, transaction, transaction::apply);
  }

  /** For a handler that runs outside any transaction. */
  public static DefaultEventContext outside(
      String endpoint, ClaimedMessage message, Consumer<Effect> effects) {
    return new DefaultEventContext(
        endpoint, message, new LaterTransaction(effects), effects::accept);
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

  @Override
  public void write(String statement, @Nullable Object... arguments) {
    transaction.write(statement, arguments);
  }
}
