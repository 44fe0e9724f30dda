package io.inbox4j.testkit.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What is logged while it is open, and nowhere else then. */
public final class Logged extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
  private final Logger logger;
  private final Level level;

  private Logged(Logger logger) {
    this.logger = logger;
    this.level = logger.getLevel();
  }

  /** What loggers of this name and below it say. */
  public static Logged by(String name) {
    Logged logged = new Logged((Logger) LoggerFactory.getLogger(name));
    logged.start();
    logged.logger.addAppender(logged);
    logged.logger.setAdditive(false);
    logged.logger.setLevel(Level.DEBUG);
    return logged;
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  /** Every event as it stands in a log, with its stack trace. */
  public List<String> lines() {
    return events.stream().map(Logged::line).toList();
  }

  /** Those of at least this level. */
  public List<String> lines(Level level) {
    return events.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(level))
        .map(Logged::line)
        .toList();
  }

  private static String line(ILoggingEvent event) {
    String trace =
        event.getThrowableProxy() == null
            ? ""
            : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
    return event.getLevel() + " " + event.getFormattedMessage() + trace;
  }

  @Override
  public void close() {
    logger.setLevel(level);
    logger.setAdditive(true);
    logger.detachAppender(this);
  }
}
