package io.inbox4j.transport;

import java.util.List;

/**
 * A queue to receive from, and how.
 *
 * @param queue the queue's name, which is the endpoint's
 * @param topology how it is declared
 * @param bindings what it is bound to
 * @param consumers how many consumers take from it at once
 * @param prefetch how many unacknowledged deliveries each consumer may hold
 * @param batchSize how many deliveries are stored in one transaction at most
 */
public record ReceiveEndpoint(
    String queue,
    Topology topology,
    List<Binding> bindings,
    int consumers,
    int prefetch,
    int batchSize) {

  public ReceiveEndpoint {
    bindings = List.copyOf(bindings);
  }
}
