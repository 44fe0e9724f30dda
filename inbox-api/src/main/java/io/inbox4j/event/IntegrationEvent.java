package io.inbox4j.event;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that another service published; records implement it.
 *
 * <p>The message id is the event's identity: however often the event is delivered to an endpoint,
 * it is handled there once. Producers choose it so that repeating a send repeats the id, see {@link
 * MessageIds}.
 */
public interface IntegrationEvent {

  /** The identity of the event, the same in every copy of it. */
  UUID messageId();

  /**
   * What the event is about, if events about the same thing are to be handled one after the other,
   * in the order they arrived; null if the order does not matter. Read by subscriptions that are
   * {@code ordered()}. Defaults to null.
   */
  default @Nullable String orderingKey() {
    return null;
  }
}
