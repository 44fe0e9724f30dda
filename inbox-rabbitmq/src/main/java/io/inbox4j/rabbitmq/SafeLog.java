package io.inbox4j.rabbitmq;

/** Writes log lines whose failure must not stop receiving. */
final class SafeLog {

  private SafeLog() {}

  /** Writes the line if possible: an appender may throw anything. */
  static void write(Runnable line) {
    try {
      line.run();
    } catch (Throwable unreportable) {
      // no memory left to report it, for example
    }
  }
}
