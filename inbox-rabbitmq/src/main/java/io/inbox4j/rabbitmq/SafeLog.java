package io.inbox4j.rabbitmq;

/** A line of the log without which receiving goes on all the same. */
final class SafeLog {

  private SafeLog() {}

  /** Writes it, if that can be done: an appender may throw anything. */
  static void write(Runnable line) {
    try {
      line.run();
    } catch (Throwable unreportable) {
      // no memory left to say so, for example
    }
  }
}
