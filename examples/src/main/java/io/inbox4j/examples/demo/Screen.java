package io.inbox4j.examples.demo;

import java.io.PrintStream;
import java.time.Duration;

/** Where the demo shows itself: a line that is rewritten in place, and lines that stay. */
final class Screen {

  private static final Duration LINE_INTERVAL = Duration.ofSeconds(1);
  private static final String REWRITE = "\r\033[K";
  private static final String CUT_LONG_LINES = "\033[?7l";
  private static final String WRAP_LONG_LINES = "\033[?7h";

  private final PrintStream out;
  private final boolean terminal;
  private long lastLine = System.nanoTime() - LINE_INTERVAL.toNanos();

  /**
   * @param terminal whether a line can be rewritten; if not, one a second is printed
   */
  Screen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows how far it is. */
  void progress(String line) {
    if (terminal) {
      out.print(REWRITE + CUT_LONG_LINES + line + WRAP_LONG_LINES);
      out.flush();
    } else if (System.nanoTime() - lastLine >= LINE_INTERVAL.toNanos()) {
      lastLine = System.nanoTime();
      out.println(line);
    }
  }

  /** Shows something that stays. */
  void say(String line) {
    out.println(terminal ? REWRITE + line : line);
  }
}
