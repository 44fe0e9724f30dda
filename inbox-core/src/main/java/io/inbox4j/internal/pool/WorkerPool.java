package io.inbox4j.internal.pool;

/** Those who handle the messages of one endpoint in this process. */
public interface WorkerPool {

  void start();

  /** How many handlers run at once at most. */
  int size();

  /**
   * How many handlers can run at once right now: fewer than the size if threads have died or are
   * stuck.
   */
  int alive();

  /** The handlers that do not return though their time is up. */
  default StuckHandlers stuck() {
    return StuckHandlers.NONE;
  }

  /** Lets this many handlers run at once from now on; those that run come to their end. */
  void resize(int size);

  /** Takes nothing new; what is in hand comes to its end. */
  void stop();

  /** Waits for the end until this time of {@link System#nanoTime}; whether all have ended. */
  boolean join(long until);

  /** Interrupts what is still in hand. */
  void interrupt();
}
