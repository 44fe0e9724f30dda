package io.inbox4j.cli.internal.terminal;

/** A progress bar on standard error, shown if that is a terminal. */
public final class ProgressBar {

  private static final int WIDTH = 30;

  private final Terminal terminal;
  private final long expected;
  private boolean shown;

  /**
   * @param expected roughly how much there is to do; 0 if unknown
   */
  public ProgressBar(Terminal terminal, long expected) {
    this.terminal = terminal;
    this.expected = expected;
  }

  public void show(long done) {
    if (!terminal.showsProgress()) {
      return;
    }
    shown = true;
    // The estimate may be too low, so the bar is never full before the end.
    double part = expected == 0 ? 0 : Math.min(0.99, (double) done / expected);
    int full = (int) (part * WIDTH);
    terminal.printProgress(
        "\r[%s%s] %3d %%  %,d"
            .formatted("#".repeat(full), " ".repeat(WIDTH - full), (int) (part * 100), done));
  }

  /** Removes the bar; what follows is the result. */
  public void end() {
    if (shown) {
      terminal.printProgress("\r" + " ".repeat(WIDTH + 40) + "\r");
    }
  }
}
