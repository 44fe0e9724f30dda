package io.inbox4j.internal.pool;

import io.inbox4j.internal.loop.Deadline;

/** The workers that handle the messages of one endpoint in this process. */
public interface WorkerPool {

  void start();

  /** The maximum number of handlers that run concurrently. */
  int size();

  /**
   * How many handlers can run concurrently right now: fewer than the size if threads have died or
   * are stuck.
   */
  int alive();

  /** The handlers that have not returned although their timeout has passed. */
  default StuckHandlers stuck() {
    return StuckHandlers.NONE;
  }

  /** Changes the maximum number of handlers that run concurrently; running handlers finish. */
  void resize(int size);

  /** Stops claiming; work in flight finishes. */
  void stop();

  /** Waits at most until the deadline; returns whether all workers have ended. */
  boolean join(Deadline deadline);

  /** Interrupts work that is still in flight. */
  void interrupt();
}
