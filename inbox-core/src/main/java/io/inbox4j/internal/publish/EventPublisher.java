package io.inbox4j.internal.publish;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.publish.MessagePublisher;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import java.util.UUID;
import java.util.function.Consumer;

/** Publishes outside of handlers. An event without an id gets a random one. */
public final class EventPublisher implements MessagePublisher {

  private final MessageWriter writer;
  private final Consumer<StoredOutgoing> target;

  /**
   * @param target takes the messages
   */
  public EventPublisher(MessageWriter writer, Consumer<StoredOutgoing> target) {
    this.writer = writer;
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
    StoredOutgoing message =
        writer.write(destination, event, options, UUID::randomUUID, MessageWriter.Cause.NONE);
    target.accept(message);
    return message.message().messageId();
  }
}
