package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.io.IOException;
import java.time.Duration;

/** Signals that the broker has cancelled a consumer, without giving a reason. */
final class ConsumerCancelledException extends IOException {

  /** A queue whose node is down is not found either, but with a different reply text. */
  private static final String NO_QUEUE = "no queue ";

  private final Duration held;

  /**
   * @param held how long the oldest delivery has been unacknowledged, zero if there is none
   */
  ConsumerCancelledException(Duration held) {
    this("the broker cancelled the consumer", held);
  }

  private ConsumerCancelledException(String message, Duration held) {
    super(message);
    this.held = held;
  }

  /**
   * The same for a queue that exists: the broker does not tell which of the remaining reasons it
   * was.
   */
  ConsumerCancelledException queueIsThere() {
    String overdue =
        "its oldest delivery was not acknowledged for %s s, which is why if the broker's consumer_timeout (30 min by default; or a policy's consumer-timeout) is about that; otherwise "
            .formatted(held.toMillis() / 1e3);
    return new ConsumerCancelledException(
        "the broker cancelled the consumer of a queue that is there: %sit may have moved to another node, or was deleted and declared again"
            .formatted(held.isZero() ? "" : overdue),
        held);
  }

  /** The same for a queue that the broker does not find or cannot reach. */
  ConsumerCancelledException queueIsRefused(AMQP.Channel.Close refusal) {
    boolean deleted =
        refusal.getReplyCode() == AMQP.NOT_FOUND && refusal.getReplyText().contains(NO_QUEUE);
    return new ConsumerCancelledException(
        "the broker cancelled the consumer, and its queue %s: %s"
            .formatted(deleted ? "is gone" : "cannot be reached", refusal.getReplyText()),
        held);
  }
}
