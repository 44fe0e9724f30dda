package io.inbox4j.health;

import io.inbox4j.processor.CircuitState;
import io.inbox4j.processor.InboxProcessor;
import io.inbox4j.processor.StuckHandlers;
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
    String detail = "%d of %d workers".formatted(alive, wanted);
    StuckHandlers stuck = processor.stuck(endpoint);
    if (stuck.handlers() == 0) {
      return Finding.count(alive, wanted, detail);
    }
    String all =
        "%s; %d handlers do not return though they were interrupted, the first for %s"
            .formatted(detail, stuck.handlers(), Finding.seconds(stuck.longest()));
    return alive == 0 ? Finding.down(all) : Finding.degraded(all);
  }

  static Finding circuit(InboxProcessor processor, String endpoint) {
    return processor.circuit(endpoint) == CircuitState.CLOSED
        ? Finding.up("is closed")
        : Finding.degraded(
            "is open: most messages failed, and nothing is handled until one succeeds");
  }
}
