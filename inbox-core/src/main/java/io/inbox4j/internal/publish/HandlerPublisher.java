package io.inbox4j.internal.publish;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.MessageIds;
import io.inbox4j.format.EventTypes;
import io.inbox4j.publish.MessagePublisher;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Publishes for one run of a handler. An event without an id gets the same one in every run: it is
 * derived from the endpoint, the message that is handled, the event's type, and how many of that
 * type were published before.
 */
public final class HandlerPublisher implements MessagePublisher {

  private final MessageWriter writer;
  private final String endpoint;
  private final ClaimedMessage handled;
  private final Consumer<StoredOutgoing> target;
  private final Map<String, Integer> published = new HashMap<>();

  /**
   * @param target takes the messages; it throws if the handler has returned
   */
  public HandlerPublisher(
      MessageWriter writer,
      String endpoint,
      ClaimedMessage handled,
      Consumer<StoredOutgoing> target) {
    this.writer = writer;
    this.endpoint = endpoint;
    this.handled = handled;
    this.target = target;
  }

  @Override
  public UUID publish(IntegrationEvent event, PublishOptions options) {
    return publish(writer.topicOf(event), event, options);
  }

  @Override
  public UUID send(String queue, IntegrationEvent command, PublishOptions options) {
    return publish(new OutgoingMessage.Queue(queue), command, options);
  }

  private UUID publish(
      OutgoingMessage.Destination destination, IntegrationEvent event, PublishOptions options) {
    String id = handled.messageId().toString();
    String correlation = handled.correlationId() == null ? id : handled.correlationId();
    StoredOutgoing message =
        writer.write(
            destination,
            event,
            options,
            () -> nextId(EventTypes.nameOf(event.getClass())),
            new MessageWriter.Cause(correlation, handled.messageId()));
    target.accept(message);
    return message.message().messageId();
  }

  private synchronized UUID nextId(String type) {
    int position = published.merge(type, 1, Integer::sum);
    return MessageIds.of("published", endpoint, handled.messageId(), type, position);
  }
}
