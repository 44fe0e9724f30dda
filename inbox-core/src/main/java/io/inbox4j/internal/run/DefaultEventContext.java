package io.inbox4j.internal.run;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventTransaction;
import io.inbox4j.internal.publish.HandlerPublisher;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.internal.receive.HeaderJson;
import io.inbox4j.publish.MessagePublisher;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.StoredOutgoing;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The context of a claimed message. */
public record DefaultEventContext(
    String endpoint,
    ClaimedMessage message,
    EventTransaction transaction,
    Effects effects,
    MessagePublisher publisher)
    implements EventContext {

  /** Accepts the effects that a handler wants applied in the transaction of the outcome. */
  public interface Effects {
    void add(Effect effect) throws Exception;
  }

  /** For a handler that runs in the transaction. */
  static DefaultEventContext in(
      String endpoint,
      ClaimedMessage message,
      HandlerTransaction transaction,
      MessageWriter writer) {
    return new DefaultEventContext(
        endpoint,
        message,
        transaction,
        transaction::apply,
        new HandlerPublisher(writer, endpoint, message, transaction::publish));
  }

  /** For a handler that runs outside any transaction. */
  public static DefaultEventContext outside(
      String endpoint, ClaimedMessage message, Consumer<Effect> effects, MessageWriter writer) {
    return new DefaultEventContext(
        endpoint,
        message,
        new LaterTransaction(effects),
        effects::accept,
        new HandlerPublisher(
            writer, endpoint, message, outgoing -> effects.accept(new PublishLater(outgoing))));
  }

  /** Publishes in the transaction of the outcome, which begins after the handler has returned. */
  private record PublishLater(StoredOutgoing outgoing) implements Effect {

    @Override
    public void apply(EventTransaction transaction) {
      ((HandlerTransaction) transaction).publish(outgoing);
    }
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

  @Override
  public UUID publish(IntegrationEvent event, PublishOptions options) {
    return publisher.publish(event, options);
  }

  @Override
  public UUID send(String queue, IntegrationEvent command, PublishOptions options) {
    return publisher.send(queue, command, options);
  }
}
