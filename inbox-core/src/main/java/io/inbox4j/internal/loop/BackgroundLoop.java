package io.inbox4j.internal.loop;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A thread, usually a daemon, that repeats a step until it is closed, whatever the step throws. The
 * step waits with {@link #pause}, which ends early when the loop is woken or closed. Thread-safe.
 */
public final class BackgroundLoop {

  private final Thread thread;
  private boolean woken;
  private boolean closed;

  /** One repetition, including its wait. */
  @FunctionalInterface
  public interface Step {
    void run(BackgroundLoop loop) throws Exception;
  }

  /**
   * @param name the name of the thread
   * @param what the name of the work in the log
   */
  public BackgroundLoop(String name, String what, Step step) {
    this.thread = new Thread(new ResilientLoop(what, this::isClosed, () -> step.run(this)), name);
    this.thread.setDaemon(true);
  }

  /** Makes it keep the process alive until it is closed; called before it is started. */
  public BackgroundLoop keepingAlive() {
    thread.setDaemon(false);
    return this;
  }

  public BackgroundLoop start() {
    thread.start();
    return this;
  }

  /** Waits for this time, or until woken or closed; returns whether the loop goes on. */
  public synchronized boolean pause(Duration time) throws InterruptedException {
    Deadline deadline = Deadline.in(time);
    while (!woken && !closed && !deadline.hasPassed()) {
      TimeUnit.NANOSECONDS.timedWait(this, deadline.left().toNanos());
    }
    woken = false;
    return !closed;
  }

  /** Ends the current pause, or the next one. */
  public synchronized void wake() {
    woken = true;
    notifyAll();
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void stop() {
    closed = true;
    notifyAll();
  }

  /** Ends the loop and interrupts its current step; does not wait. */
  public void interrupt() {
    stop();
    thread.interrupt();
  }

  /** Ends the loop after its current step, which is interrupted if it takes longer than this. */
  public void close(Duration grace) {
    stop();
    if (!Deadline.in(grace).join(thread)) {
      thread.interrupt();
    }
  }
}
