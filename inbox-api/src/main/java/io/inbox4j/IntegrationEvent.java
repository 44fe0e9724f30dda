package io.inbox4j;

import java.util.UUID;

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
}
