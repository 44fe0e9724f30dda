package io.inbox4j.benchmarks.lab;

import java.util.concurrent.atomic.AtomicLong;

/** How many messages a process of a {@link Fleet} has handled, reported on its standard output. */
public final class Progress {

  static final String HANDLED = "handled ";
  private static final long INTERVAL_MILLIS = 10;

  private final AtomicLong handled = new AtomicLong();

  /** Begins to report what is counted, whenever it has changed, on a daemon thread. */
  public static Progress reporting() {
    Progress progress = new Progress();
    Thread reporter = new Thread(progress::report, "progress");
    reporter.setDaemon(true);
    reporter.start();
    return progress;
  }

  private Progress() {}

  public void handled(int messages) {
    handled.addAndGet(messages);
  }

  /** Says something else. */
  public static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private void report() {
    long reported = 0;
    try {
      while (true) {
        long now = handled.get();
        if (now != reported) {
          say(HANDLED + now);
          reported = now;
        }
        Thread.sleep(INTERVAL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
