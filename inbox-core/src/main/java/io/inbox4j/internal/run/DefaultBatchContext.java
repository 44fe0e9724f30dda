package io.inbox4j.internal.run;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.handler.BatchContext;
import io.inbox4j.handler.EventContext;
import io.inbox4j.internal.publish.MessageWriter;
import io.inbox4j.store.ClaimedMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The context of one call of a batch handler: its events, and the failures it reports. */
final class DefaultBatchContext implements BatchContext<IntegrationEvent> {

  private final String endpoint;
  private final HandlerTransaction transaction;
  private final MessageWriter writer;
  private final List<IntegrationEvent> events = new ArrayList<>();
  private final IdentityHashMap<IntegrationEvent, ClaimedMessage> messages =
      new IdentityHashMap<>();
  private final Map<ClaimedMessage, EventContext> contexts = new HashMap<>();
  private final Map<ClaimedMessage, Throwable> failures = new LinkedHashMap<>();

  DefaultBatchContext(String endpoint, HandlerTransaction transaction, MessageWriter writer) {
    this.endpoint = endpoint;
    this.transaction = transaction;
    this.writer = writer;
  }

  void add(ClaimedMessage message, IntegrationEvent event) {
    events.add(event);
    messages.put(event, message);
  }

  void failed(ClaimedMessage message, Throwable failure) {
    failures.put(message, failure);
  }

  List<IntegrationEvent> events() {
    return List.copyOf(events);
  }

  /** The messages that failed individually, and why. */
  Map<ClaimedMessage, Throwable> failures() {
    return failures;
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  /** The same context every time: it counts what the event's handling has published. */
  @Override
  public synchronized EventContext of(IntegrationEvent event) {
    return contexts.computeIfAbsent(
        messageOf(event), it -> DefaultEventContext.in(endpoint, it, transaction, writer));
  }

  @Override
  public void fail(IntegrationEvent event, Exception failure) {
    ClaimedMessage message = messageOf(event);
    transaction.meanwhile(() -> failures.putIfAbsent(message, failure));
  }

  private ClaimedMessage messageOf(IntegrationEvent event) {
    ClaimedMessage message = messages.get(event);
    if (message == null) {
      throw new IllegalArgumentException(
          "this %s is none of the %d events that the handler was given"
              .formatted(event.getClass().getName(), events.size()));
    }
    return message;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    return transaction.unwrap(type);
  }

  @Override
  public void write(String statement, @Nullable Object... arguments) {
    transaction.write(statement, arguments);
  }

  /** Thrown when some messages of a batch failed individually: the rest run again without them. */
  static final class MembersFailed extends Exception {

    private final transient Map<ClaimedMessage, Throwable> failures;

    MembersFailed(Map<ClaimedMessage, Throwable> failures) {
      super("%d of a batch failed".formatted(failures.size()), null, false, false);
      this.failures = failures;
    }

    Map<ClaimedMessage, Throwable> failures() {
      return failures;
    }
  }
}
