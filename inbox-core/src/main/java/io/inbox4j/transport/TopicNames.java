package io.inbox4j.transport;

/**
 * Names the topic of each event type: where its events are published, and what queues that receive
 * them are bound to. With RabbitMQ a topic is an exchange.
 *
 * <p>Several types may share a topic: their queues are bound by the type, which is the routing key.
 */
@FunctionalInterface
public interface TopicNames {

  /** A topic for each event type, which has its name. */
  static TopicNames ofDefaults() {
    return eventType -> eventType;
  }

  /** The name of an event type's topic, 1 to 255 characters. */
  String of(String eventType);
}
