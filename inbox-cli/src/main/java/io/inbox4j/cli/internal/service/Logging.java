package io.inbox4j.cli.internal.service;

import io.inbox4j.cli.internal.options.WorkerOptions;

/**
 * Where the log goes: to standard output from the worker, and from the commands, whose output is
 * the answer, what is wrong to standard error.
 *
 * <p>A {@code logback.xml} of the application, or the system property {@code
 * logback.configurationFile}, has the say where there is one.
 */
public final class Logging {

  private static final String PROPERTY = "logback.configurationFile";

  private Logging() {}

  /** Before the first logger is made. */
  public static void ofCommands() {
    if (System.getProperty(PROPERTY) == null && Logging.class.getResource("/logback.xml") == null) {
      System.setProperty(PROPERTY, "io/inbox4j/worker/inbox-logback.xml");
    }
    to("System.err", "ERROR");
  }

  /** Before the first logger is made. */
  public static void ofWorker(WorkerOptions.LogLevel level) {
    to("System.out", level.name());
  }

  private static void to(String target, String level) {
    System.setProperty("inbox.log.target", target);
    System.setProperty("inbox.log.level", level);
  }
}
