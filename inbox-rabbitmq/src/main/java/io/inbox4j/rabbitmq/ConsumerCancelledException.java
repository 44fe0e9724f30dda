package io.inbox4j.rabbitmq;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The broker has cancelled a consumer, and does not say why. */
final class ConsumerCancelledException extends IOException {

  private final Duration held;

  /**
   * @param held for how long the oldest delivery has not been acknowledged, zero if there is none
   */
  ConsumerCancelledException(Duration held) {
    this("the broker cancelled the consumer", held);
  }

  private ConsumerCancelledException(String message, Duration held) {
    super(message);
    this.held = held;
  }

  /**
   * The same, once it is known how the queue is.
   *
   * @param refusal why the broker does not find it, or null if it is there
   */
  ConsumerCancelledException explained(@Nullable String refusal) {
    if (refusal != null) {
      return new ConsumerCancelledException(
          "the broker cancelled the consumer, and its queue is gone: " + refusal, held);
    }
    String reason =
        held.isZero()
            ? "it has moved"
            : "a delivery was not acknowledged for %s s, longer than the broker's consumer_timeout, or it has moved"
                .formatted(held.toMillis() / 1e3);
    return new ConsumerCancelledException(
        "the broker cancelled the consumer of a queue that is there: " + reason, held);
  }
}
