package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.io.IOException;
import java.time.Duration;

/** The broker has cancelled a consumer, and does not say why. */
final class ConsumerCancelledException extends IOException {

  /** A queue whose node is away is not found either, with other words. */
  private static final String NO_QUEUE = "no queue ";

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

  /** The same, of a queue that is there: which of the reasons that are left it was is not told. */
  ConsumerCancelledException queueIsThere() {
    String overdue =
        "its oldest delivery was not acknowledged for %s s, which is why if the broker's consumer_timeout (30 min by default; or a policy's consumer-timeout) is about that; otherwise "
            .formatted(held.toMillis() / 1e3);
    return new ConsumerCancelledException(
        "the broker cancelled the consumer of a queue that is there: %sit may have moved to another node, or was deleted and declared again"
            .formatted(held.isZero() ? "" : overdue),
        held);
  }

  /** The same, of a queue that the broker does not find or does not reach. */
  ConsumerCancelledException queueIsRefused(AMQP.Channel.Close refusal) {
    boolean deleted =
        refusal.getReplyCode() == AMQP.NOT_FOUND && refusal.getReplyText().contains(NO_QUEUE);
    return new ConsumerCancelledException(
        "the broker cancelled the consumer, and its queue %s: %s"
            .formatted(deleted ? "is gone" : "cannot be reached", refusal.getReplyText()),
        held);
  }
}
