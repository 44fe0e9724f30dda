package io.inbox4j.opentelemetry;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.inbox4j.handler.EventContext;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;

/** The attributes of the OpenTelemetry semantic conventions for messaging, and two of our own. */
final class Messaging {

  static final String RECEIVE = "receive";
  static final String PROCESS = "process";

  static final AttributeKey<Long> BATCH_MESSAGE_COUNT = longKey("messaging.batch.message_count");
  static final AttributeKey<String> ERROR_TYPE = stringKey("error.type");
  static final AttributeKey<String> EXCEPTION_TYPE = stringKey("exception.type");

  private static final AttributeKey<String> SYSTEM = stringKey("messaging.system");
  private static final AttributeKey<String> DESTINATION = stringKey("messaging.destination.name");
  private static final AttributeKey<String> OPERATION_NAME = stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE = stringKey("messaging.operation.type");
  private static final AttributeKey<String> MESSAGE_ID = stringKey("messaging.message.id");
  private static final AttributeKey<String> CONVERSATION_ID =
      stringKey("messaging.message.conversation_id");
  private static final AttributeKey<String> EVENT_TYPE = stringKey("inbox.event.type");
  private static final AttributeKey<Long> ATTEMPT = longKey("inbox.attempt");

  private Messaging() {}

  static Attributes of(String operation, String endpoint) {
    return Attributes.of(
        SYSTEM,
        "rabbitmq",
        DESTINATION,
        endpoint,
        OPERATION_NAME,
        operation,
        OPERATION_TYPE,
        operation);
  }

  static Attributes of(EventContext message) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put(MESSAGE_ID, message.messageId().toString())
            .put(EVENT_TYPE, message.type())
            .put(ATTEMPT, (long) message.attempt());
    if (message.correlationId() != null) {
      attributes.put(CONVERSATION_ID, message.correlationId());
    }
    return attributes.build();
  }
}
