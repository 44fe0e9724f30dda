package io.inbox4j.rabbitmq;

import io.inbox4j.error.InboxException;

/**
 * A message was delivered so often that the next ones in flight should not be delivered with it.
 */
final class RepeatedDeliveryException extends InboxException {

  private static final long serialVersionUID = 1L;

  RepeatedDeliveryException(long times) {
    super(
        "a message was delivered %d times before and never acknowledged; going on with one delivery at a time, so that those behind it are not dead-lettered with it"
            .formatted(times));
  }
}
