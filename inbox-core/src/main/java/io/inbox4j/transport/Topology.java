package io.inbox4j.transport;

import org.jspecify.annotations.Nullable;

/**
 * How an endpoint's queue is declared at the broker.
 *
 * <p>The default, {@link #quorum()}: a durable quorum queue with a delivery limit of 20 and a
 * dead-letter exchange and queue named {@code <queue>.dead-letter}, where the broker puts what was
 * delivered too often and never acknowledged: of receivers that die over it.
 *
 * @param kind what to declare
 * @param deliveryLimit how often the broker delivers a message that is never acknowledged, before
 *     it dead-letters it
 * @param deadLetterExchange the exchange for these, or null for one made for the queue
 * @param singleActiveConsumer whether only one consumer at a time gets messages, to keep their
 *     order
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
    /** Nothing: the queue must be there, and is taken as it is. */
    EXISTING
  }

  public static final int DEFAULT_DELIVERY_LIMIT = 20;

  public Topology {
    if (deliveryLimit < 1) {
      throw new IllegalArgumentException(
          "deliveryLimit is %d; expected 1 or more".formatted(deliveryLimit));
    }
  }

  /** Declare a durable quorum queue with its dead-letter exchange and queue. */
  public static Topology quorum() {
    return new Topology(Kind.QUORUM, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** Declare a durable classic queue with its dead-letter exchange and queue. */
  public static Topology classic() {
    return new Topology(Kind.CLASSIC, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** Declare nothing; only check that the queue is there. */
  public static Topology existing() {
    return new Topology(Kind.EXISTING, DEFAULT_DELIVERY_LIMIT, null, false);
  }

  /** Defaults to 20. */
  public Topology deliveryLimit(int limit) {
    return new Topology(kind, limit, deadLetterExchange, singleActiveConsumer);
  }

  /** Dead-letter to this exchange, which is not declared. Defaults to one made for the queue. */
  public Topology deadLetterExchange(String exchange) {
    return new Topology(kind, deliveryLimit, exchange, singleActiveConsumer);
  }

  /** Let one consumer at a time have the queue. Defaults to no. */
  public Topology withSingleActiveConsumer() {
    return new Topology(kind, deliveryLimit, deadLetterExchange, true);
  }
}
