package io.inbox4j.health;

import io.inbox4j.processor.CircuitState;
import io.inbox4j.processor.InboxProcessor;
import io.inbox4j.transport.ReceiverState;

/** What this process's own connections and threads mean. */
final class ProcessFindings {

  private ProcessFindings() {}

  static Finding broker(ReceiverState state) {
    return state.connected()
        ? Finding.up("is connected")
        : Finding.down("is not connected: " + state.failure());
  }

  static Finding consumers(ReceiverState state, int wanted) {
    String detail = "%d of %d consumers".formatted(state.consumers(), wanted);
    return Finding.count(
        state.consumers(),
        wanted,
        state.consumers() < wanted ? detail + ": " + state.failure() : detail);
  }

  static Finding workers(InboxProcessor processor, String endpoint) {
    int wanted = processor.concurrency(endpoint);
    int alive = processor.alive(endpoint);
    return Finding.count(alive, wanted, "%d of %d workers".formatted(alive, wanted));
  }

  static Finding circuit(InboxProcessor processor, String endpoint) {
    return processor.circuit(endpoint) == CircuitState.CLOSED
        ? Finding.up("is closed")
        : Finding.degraded(
            "is open: most messages failed, and nothing is handled until one succeeds");
  }
}
