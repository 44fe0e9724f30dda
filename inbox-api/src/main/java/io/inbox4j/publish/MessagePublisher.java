package io.inbox4j.publish;

import io.inbox4j.event.IntegrationEvent;
import java.util.UUID;

/**
 * Publishes events to everybody who subscribes to them, and sends commands to one queue.
 *
 * <p>An event keeps the id that it has. If its {@link IntegrationEvent#messageId()} is null, it
 * gets one: in a handler the same for every run of it, derived from the message that is handled,
 * the event's type and how many of that type it has published before.
 */
public interface MessagePublisher {

  /**
   * Publishes an event to everybody who subscribes to it.
   *
   * @return the id of the message
   * @throws IllegalArgumentException if it cannot be written
   */
  default UUID publish(IntegrationEvent event) {
    return publish(event, PublishOptions.none());
  }

  /** Publishes an event to everybody who subscribes to it, with options. */
  UUID publish(IntegrationEvent event, PublishOptions options);

  /**
   * Sends a command to a queue.
   *
   * @return the id of the message
   * @throws IllegalArgumentException if it cannot be written
   */
  default UUID send(String queue, IntegrationEvent command) {
    return send(queue, command, PublishOptions.none());
  }

  /** Sends a command to a queue, with options. */
  UUID send(String queue, IntegrationEvent command, PublishOptions options);
}
