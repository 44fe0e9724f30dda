package io.inbox4j.processor;

import io.inbox4j.IntegrationEvent;
import io.inbox4j.event.EventReader;
import io.inbox4j.event.KnownType;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.handler.BatchHandler;
import io.inbox4j.handler.EventContext;
import io.inbox4j.handler.EventDispatcher;
import io.inbox4j.handler.EventMiddleware;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.StoredMessage;
import io.inbox4j.store.WorkTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings stored messages to the handlers of an endpoint. */
final class Handlers {

  private final Workload workload;
  private final EventDispatcher dispatcher;
  private final HandlerChain chain;
  private final EventReader reader;
  private final SafeListener listener;

  Handlers(Workload workload, EventReader reader, SafeListener listener) {
    this.workload = workload;
    this.dispatcher = workload.dispatcher();
    this.chain = new HandlerChain(workload.middleware(), dispatcher);
    this.reader = reader;
    this.listener = listener;
  }

  /** Whether one call takes both. */
  boolean takesTogether(StoredMessage one, StoredMessage next) {
    BatchHandler<?> handler = batchHandlerOf(one);
    return handler != null && batchHandlerOf(next) == handler;
  }

  /** Messages without order are put together by the handler of batches that takes them. */
  List<StoredMessage> grouped(List<StoredMessage> messages) {
    if (!dispatcher.hasBatchHandlers()
        || messages.stream().anyMatch(message -> message.orderingKey() != null)) {
      return messages;
    }
    Map<Object, List<StoredMessage>> byHandler = new LinkedHashMap<>();
    for (StoredMessage message : messages) {
      Object handler = batchHandlerOf(message);
      byHandler
          .computeIfAbsent(handler == null ? this : handler, it -> new ArrayList<>())
          .add(message);
    }
    return byHandler.values().stream().flatMap(List::stream).toList();
  }

  /** Handles a message, or several that one call takes, in a transaction. */
  void handle(List<StoredMessage> step, WorkTransaction transaction) throws Exception {
    BatchHandler<IntegrationEvent> handler = batchHandlerOf(step.get(0));
    LentTransaction lent = new LentTransaction(transaction);
    try {
      if (handler == null) {
        StoredMessage message = step.get(0);
        handle(message, MessageContext.in(workload.endpoint(), message, lent));
      } else {
        handleTogether(step, lent, handler);
      }
    } finally {
      lent.end();
    }
  }

  /** Handles a message. */
  void handle(StoredMessage message, EventContext context) throws Exception {
    IntegrationEvent event = read(message);
    timed(message, 1, () -> chain.handle(event, context));
  }

  private void handleTogether(
      List<StoredMessage> step, LentTransaction transaction, BatchHandler<IntegrationEvent> handler)
      throws Exception {
    BatchInHand batch = new BatchInHand(workload.endpoint(), transaction);
    for (StoredMessage message : step) {
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
      throw new BatchInHand.MembersFailed(batch.failures());
    }
  }

  private void timed(StoredMessage first, int messages, EventMiddleware.Next call)
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
      listener.tell(l -> l.handled(workload.endpoint(), first.type(), messages, time, well));
    }
  }

  private IntegrationEvent read(StoredMessage message) {
    return reader.read(
        message.contentType(), message.body(), known(message.type()), message.messageId());
  }

  @SuppressWarnings("unchecked") // onBatch() puts a handler of T at the class of T only
  private @Nullable BatchHandler<IntegrationEvent> batchHandlerOf(StoredMessage message) {
    return dispatcher.hasBatchHandlers()
        ? (BatchHandler<IntegrationEvent>) dispatcher.batchHandlerOf(known(message.type()).event())
        : null;
  }

  private KnownType<IntegrationEvent> known(String type) {
    KnownType<IntegrationEvent> known = workload.types().find(type);
    if (known == null) {
      throw new IllegalStateException("claimed a message of the type " + type + " without need");
    }
    return known;
  }
}
