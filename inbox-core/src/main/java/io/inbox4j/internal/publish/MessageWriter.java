package io.inbox4j.internal.publish;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.format.EventTypes;
import io.inbox4j.format.JsonFormat;
import io.inbox4j.publish.PublishOptions;
import io.inbox4j.store.StoredOutgoing;
import io.inbox4j.transport.OutgoingMessage;
import io.inbox4j.transport.TopicNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns events into outgoing messages. Thread-safe. */
public final class MessageWriter {

  /** The header with the id of the message that was handled when this one was published. */
  public static final String CAUSATION_HEADER = "x-causation-id";

  private static final String JSON = "application/json";

  private final JsonFormat format;
  private final TopicNames topics;
  private final @Nullable String source;

  /**
   * @param source the name of this application, or null
   */
  public MessageWriter(JsonFormat format, TopicNames topics, @Nullable String source) {
    this.format = format;
    this.topics = topics;
    this.source = source;
  }

  /**
   * What a message follows from.
   *
   * @param correlationId what its message belongs to, unless the options say otherwise
   * @param causationId the message that is handled
   */
  record Cause(@Nullable String correlationId, @Nullable UUID causationId) {

    static final Cause NONE = new Cause(null, null);
  }

  /** The topic of events of this class. */
  OutgoingMessage.Topic topicOf(IntegrationEvent event) {
    return new OutgoingMessage.Topic(topics.of(EventTypes.nameOf(event.getClass())));
  }

  /**
   * Writes an event.
   *
   * @param id the message id if the event has none
   * @throws IllegalArgumentException if it cannot be written
   */
  StoredOutgoing write(
      OutgoingMessage.Destination destination,
      IntegrationEvent event,
      PublishOptions options,
      Supplier<UUID> id,
      Cause cause) {
    UUID own = event.messageId();
    UUID messageId = own == null ? id.get() : own;
    String key = options.orderingKey() == null ? keyOf(event) : options.orderingKey();
    OutgoingMessage message =
        new OutgoingMessage(
            messageId,
            destination,
            EventTypes.nameOf(event.getClass()),
            JSON,
            format.write(event, messageId),
            headers(options, cause),
            options.correlationId() == null ? cause.correlationId() : options.correlationId(),
            source,
            key,
            options.expiresAfter(),
            options.priority());
    return new StoredOutgoing(message, options.delay(), options.sendAt());
  }

  private static @Nullable String keyOf(IntegrationEvent event) {
    String key = event.orderingKey();
    return key == null ? null : PublishOptions.none().orderingKey(key).orderingKey();
  }

  private static Map<String, @Nullable Object> headers(PublishOptions options, Cause cause) {
    if (cause.causationId() == null || options.headers().containsKey(CAUSATION_HEADER)) {
      return options.headers();
    }
    Map<String, @Nullable Object> headers = new LinkedHashMap<>(options.headers());
    headers.put(CAUSATION_HEADER, cause.causationId().toString());
    return headers;
  }
}
