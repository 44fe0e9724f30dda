package io.inbox4j.memory;

import io.inbox4j.transport.Delivery;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A queue of an {@link InMemoryTransport} and its siblings. */
final class MemoryQueue {

  private final Deque<Delivery> ready = new ArrayDeque<>();

  synchronized void add(Delivery delivery) {
    ready.addLast(delivery);
    notifyAll();
  }

  /**
   * Takes what is ready, in order, up to this many; waits for it, but not forever.
   *
   * @param closed whether the consumer was closed while it waited, and gets nothing
   */
  synchronized List<Delivery> take(int max, BooleanSupplier closed) throws InterruptedException {
    if (ready.isEmpty()) {
      TimeUnit.MILLISECONDS.timedWait(this, 50);
    }
    List<Delivery> taken = new ArrayList<>();
    while (taken.size() < max && !ready.isEmpty() && !closed.getAsBoolean()) {
      taken.add(ready.removeFirst());
    }
    return taken;
  }

  /** Puts back what was not acknowledged, before all that came later. */
  synchronized void putBack(List<Delivery> deliveries) {
    for (int i = deliveries.size() - 1; i >= 0; i--) {
      ready.addFirst(redelivered(deliveries.get(i)));
    }
    notifyAll();
  }

  private static Delivery redelivered(Delivery delivery) {
    return new Delivery(
        delivery.messageId(),
        delivery.type(),
        delivery.contentType(),
        delivery.contentEncoding(),
        delivery.correlationId(),
        delivery.source(),
        delivery.headers(),
        delivery.body(),
        true);
  }
}
