package io.inbox4j.store;

import io.inbox4j.transport.OutgoingMessage;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing message and when it is to be sent.
 *
 * @param message the message
 * @param delay how long it is kept first, by the store's clock, or null
 * @param sendAt the time before which it is not sent, or null
 */
public record StoredOutgoing(
    OutgoingMessage message, @Nullable Duration delay, @Nullable Instant sendAt) {

  /** A message to be sent at once. */
  public static StoredOutgoing now(OutgoingMessage message) {
    return new StoredOutgoing(message, null, null);
  }
}
