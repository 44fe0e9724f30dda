package io.inbox4j.internal.health;

import io.inbox4j.internal.pool.StuckHandlers;
import io.inbox4j.internal.process.InboxProcessor;
import io.inbox4j.internal.publish.Relay;
import io.inbox4j.retry.CircuitState;
import io.inbox4j.transport.ReceiverState;

/** Judges the health of this process's own connections and threads. */
final class ProcessHealth {

  private ProcessHealth() {}

  static HealthFinding broker(ReceiverState state) {
    return state.connected()
        ? HealthFinding.up("is connected")
        : HealthFinding.down("is not connected: " + state.failure());
  }

  static HealthFinding consumers(ReceiverState state, int wanted) {
    String detail = "%d of %d consumers".formatted(state.consumers(), wanted);
    return HealthFinding.count(
        state.consumers(),
        wanted,
        state.consumers() < wanted ? detail + ": " + state.failure() : detail);
  }

  static HealthFinding workers(InboxProcessor processor, String endpoint) {
    int wanted = processor.concurrency(endpoint);
    int alive = processor.alive(endpoint);
    String detail = "%d of %d workers".formatted(alive, wanted);
    StuckHandlers stuck = processor.stuck(endpoint);
    if (stuck.handlers() == 0) {
      return HealthFinding.count(alive, wanted, detail);
    }
    String all =
        "%s; %d handlers do not return though they were interrupted, the first for %s"
            .formatted(detail, stuck.handlers(), HealthFinding.seconds(stuck.longest()));
    return alive == 0 ? HealthFinding.down(all) : HealthFinding.degraded(all);
  }

  static HealthFinding publishing(Relay relay) {
    String trouble = relay.trouble();
    return trouble == null
        ? HealthFinding.up(relay.isActive() ? "is at work" : "is done by another process")
        : HealthFinding.degraded("waits, nothing is lost: " + trouble);
  }

  static HealthFinding circuit(InboxProcessor processor, String endpoint) {
    return processor.circuit(endpoint) == CircuitState.CLOSED
        ? HealthFinding.up("is closed")
        : HealthFinding.degraded(
            "is open: most messages failed, and nothing is handled until one succeeds");
  }
}
