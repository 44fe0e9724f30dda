package io.inbox4j.internal.run;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.format.EventReader;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.KnownType;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.endpoint.EventDispatcher;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.store.ClaimedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Deserializes claimed messages and invokes the handlers of an endpoint. */
public final class HandlerInvoker {

  private final EndpointConfig config;
  private final EventTypes<IntegrationEvent> types;
  private final EventDispatcher dispatcher;
  private final HandlerMiddlewareChain chain;
  private final EventReader reader;
  private final MessageWriter writer;
  private final SafeListener listener;

  public HandlerInvoker(
      EndpointConfig config, EventReader reader, MessageWriter writer, SafeListener listener) {
    this.config = config;
    this.types = config.handledTypes();
    this.dispatcher = config.dispatcher();
    this.chain = new HandlerMiddlewareChain(config.middleware(), dispatcher);
    this.reader = reader;
    this.writer = writer;
    this.listener = listener;
  }

  /** Whether one handler call takes both. */
  boolean takesTogether(ClaimedMessage one, ClaimedMessage next) {
    BatchHandler<?> handler = batchHandlerOf(one);
    return handler != null && batchHandlerOf(next) == handler;
  }

  /** Groups messages without an ordering key by the batch handler that takes them. */
  List<ClaimedMessage> grouped(List<ClaimedMessage> messages) {
    if (!dispatcher.hasBatchHandlers()
        || messages.stream().anyMatch(message -> message.orderingKey() != null)) {
      return messages;
    }
    Map<Object, List<ClaimedMessage>> byHandler = new LinkedHashMap<>();
    for (ClaimedMessage message : messages) {
      Object handler = batchHandlerOf(message);
      byHandler
          .computeIfAbsent(handler == null ? this : handler, it -> new ArrayList<>())
          .add(message);
    }
    return byHandler.values().stream().flatMap(List::stream).toList();
  }

  /** Handles one message, or several that one call takes together, in a transaction. */
  void handle(List<ClaimedMessage> step, HandlerTransaction transaction) throws Exception {
    BatchHandler<IntegrationEvent> handler = batchHandlerOf(step.get(0));
    if (handler == null) {
      ClaimedMessage message = step.get(0);
      handle(message, DefaultEventContext.in(config.endpoint(), message, transaction, writer));
    } else {
      handleTogether(step, transaction, handler);
    }
  }

  /**
   * Handles a message outside any transaction.
   *
   * @param effects takes what is to be applied in the transaction of its outcome
   */
  public void handle(ClaimedMessage message, Consumer<EventContext.Effect> effects)
      throws Exception {
    handle(message, DefaultEventContext.outside(config.endpoint(), message, effects, writer));
  }

  private void handle(ClaimedMessage message, EventContext context) throws Exception {
    IntegrationEvent event = read(message);
    timed(message, 1, () -> chain.handle(event, context));
  }

  private void handleTogether(
      List<ClaimedMessage> step,
      HandlerTransaction transaction,
      BatchHandler<IntegrationEvent> handler)
      throws Exception {
    DefaultBatchContext batch = new DefaultBatchContext(config.endpoint(), transaction, writer);
    for (ClaimedMessage message : step) {
      try {
        batch.add(message, read(message));
      } catch (UnreadableEventException e) {
        batch.failed(message, e);
      }
    }
    if (batch.failures().isEmpty()) {
      timed(step.get(0), step.size(), () -> chain.handleBatch(batch.events(), batch, handler));
    }
    transaction.end();
    if (!batch.failures().isEmpty()) {
      throw new DefaultBatchContext.MembersFailed(batch.failures());
    }
  }

  private void timed(ClaimedMessage first, int messages, EventMiddleware.Next call)
      throws Exception {
    if (listener.isEmpty()) {
      call.proceed();
      return;
    }
    long begin = System.nanoTime();
    boolean returned = false;
    try {
      call.proceed();
      returned = true;
    } finally {
      Duration time = Duration.ofNanos(System.nanoTime() - begin);
      boolean well = returned;
      listener.tell(
          l ->
              l.handled(
                  new InboxListener.Handled(
                      config.endpoint(), first.type(), messages, time, well)));
    }
  }

  private IntegrationEvent read(ClaimedMessage message) {
    return reader.read(
        message.contentType(), message.body(), known(message.type()), message.messageId());
  }

  @SuppressWarnings("unchecked") // onBatch() registers a handler of T for the class of T only
  private @Nullable BatchHandler<IntegrationEvent> batchHandlerOf(ClaimedMessage message) {
    return dispatcher.hasBatchHandlers()
        ? (BatchHandler<IntegrationEvent>) dispatcher.batchHandlerOf(known(message.type()).event())
        : null;
  }

  private KnownType<IntegrationEvent> known(String type) {
    KnownType<IntegrationEvent> known = types.find(type);
    if (known == null) {
      throw new IllegalStateException("claimed a message of the type " + type + " without need");
    }
    return known;
  }
}
