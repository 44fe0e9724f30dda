package io.inbox4j.cli.internal.service;

import io.inbox4j.cli.internal.options.WorkerOptions;

/**
 * Where the log goes: the worker logs to standard output; commands, whose output is the answer, log
 * only problems, to standard error.
 *
 * <p>A {@code logback.xml} of the application, or the system property {@code
 * logback.configurationFile}, takes precedence.
 */
public final class Logging {

  private static final String PROPERTY = "logback.configurationFile";

  private Logging() {}

  /** Must be called before the first logger is created. */
  public static void ofCommands() {
    if (System.getProperty(PROPERTY) == null && Logging.class.getResource("/logback.xml") == null) {
      System.setProperty(PROPERTY, "io/inbox4j/cli/inbox-logback.xml");
    }
    to("System.err", "ERROR");
  }

  /** Must be called before the first logger is created. */
  public static void ofWorker(WorkerOptions.LogLevel level) {
    to("System.out", level.name());
  }

  private static void to(String target, String level) {
    System.setProperty("inbox.log.target", target);
    System.setProperty("inbox.log.level", level);
  }
}
