package io.inbox4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * How an endpoint's queue is declared at the broker.
 *
 * <p>The default, {@link #quorum()}: a durable quorum queue with a delivery limit of 20 and a
 * dead-letter exchange and queue named {@code <queue>.dead-letter}, to which the broker moves
 * messages that were delivered too often without being acknowledged, because they crash their
 * receivers.
 *
 * @param kind what to declare
 * @param deliveryLimit how often the broker delivers a message that is never acknowledged before
 *     dead-lettering it
 * @param deadLetterExchange the exchange for these, or null for one declared for the queue
 * @param singleActiveConsumer whether only one consumer at a time receives messages, to preserve
 *     their order
 */
public record Topology(
    Kind kind,
    int deliveryLimit,
    @Nullable String deadLetterExchange,
    boolean singleActiveConsumer) {

  /** What to declare. */
  public enum Kind {
    /** A replicated, durable queue. */
    QUORUM,
    /** A durable queue on one node; it has no delivery limit. */
    CLASSIC,
    /** Nothing: the queue must exist and is used as is. */
    EXISTING
  }

  public static final int DEFAULT_DELIVERY_LIMIT = 20;

  public Topology {
    if (deliveryLimit < 1) {
      throw new IllegalArgumentException(
          "deliveryLimit is %d; expected 1 or more".formatted(deliveryLimit));
    }
  }

  /** Declares a durable quorum queue with its dead-letter exchange and queue. */
  public static Topology quorum() {
    return new Topology(Kind.QUORUM, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** Declares a durable classic queue with its dead-letter exchange and queue. */
  public static Topology classic() {
    return new Topology(Kind.CLASSIC, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** Declares nothing; only checks that the queue exists. */
  public static Topology existing() {
    return new Topology(Kind.EXISTING, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** The number of deliveries before dead-lettering, 1 or more. Defaults to 20. */
  public Topology deliveryLimit(int limit) {
    return new Topology(kind, limit, deadLetterExchange, singleActiveConsumer);
  }

  /**
   * Dead-letters to this exchange, which is not declared. Defaults to one declared for the queue.
   */
  public Topology deadLetterExchange(String exchange) {
    return new Topology(kind, deliveryLimit, exchange, singleActiveConsumer);
  }

  /** Lets only one consumer at a time receive messages. Defaults to no. */
  public Topology withSingleActiveConsumer() {
    return new Topology(kind, deliveryLimit, deadLetterExchange, true);
  }
}
