package io.inbox4j.event;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event published by another service, usually implemented as a record.
 *
 * <p>The message id is the event's identity: however often the event is delivered to an endpoint,
 * it is handled there once. Producers must choose it so that a repeated send repeats the id; see
 * {@link MessageIds}.
 */
public interface IntegrationEvent {

  /** The identity of the event, the same in every copy of it. */
  UUID messageId();

  /**
   * The key of events that must be handled one after the other, in arrival order; null if order
   * does not matter. Only {@code ordered()} subscriptions read it. Defaults to null.
   */
  default @Nullable String orderingKey() {
    return null;
  }
}
