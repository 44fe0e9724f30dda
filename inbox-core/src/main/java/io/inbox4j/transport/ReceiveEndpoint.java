package io.inbox4j.transport;

import java.util.List;

/**
 * The queue of an endpoint and how to receive from it.
 *
 * @param queue the queue's name, which is also the endpoint's
 * @param topology how it is declared
 * @param bindings what it is bound to
 * @param consumers how many consumers receive from it concurrently
 * @param prefetch how many unacknowledged deliveries each consumer may hold
 * @param batchSize the maximum number of deliveries stored in one transaction
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
