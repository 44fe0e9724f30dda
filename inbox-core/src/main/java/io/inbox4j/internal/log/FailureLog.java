package io.inbox4j.internal.log;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs failures of code that is not the inbox's own: handlers, middleware, listeners. Each gets a
 * line with its classes; stack traces are rate-limited to one of each kind per minute.
 */
public final class FailureLog {

  static final Duration TRACE_EVERY = Duration.ofMinutes(1);
  static final int MAX_KINDS = 100;

  private final boolean withText;
  private final Function<Throwable, String> names;
  private final LongSupplier nanoTime;

  /** The kinds that were seen most recently. */
  private final Map<String, LogRateLimit> traces =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LogRateLimit> eldest) {
          return size() > MAX_KINDS;
        }
      };

  /** A log without the messages of exceptions. */
  public FailureLog() {
    this(false, it -> "");
  }

  /**
   * @param withText whether the messages of exceptions may be logged
   * @param names the identifiers in a failure, such as its SQLSTATE; never a value
   */
  public FailureLog(boolean withText, Function<Throwable, String> names) {
    this(withText, names, System::nanoTime);
  }

  FailureLog(boolean withText, Function<Throwable, String> names, LongSupplier nanoTime) {
    this.withText = withText;
    this.names = names;
    this.nanoTime = nanoTime;
  }

  /** The failure and its causes in one line. */
  public String line(Throwable failure) {
    return logged(failure).chain();
  }

  /** The failure in a form whose stack trace can be logged. */
  private LoggedFailure logged(Throwable failure) {
    return withText ? LoggedFailure.withText(failure) : LoggedFailure.of(failure, names);
  }

  /**
   * The failure with its stack trace, or null if one of this kind was logged in the last minute.
   *
   * @param event what happened because of the failure; each event has its own limit
   */
  public @Nullable Throwable seldom(String event, Throwable failure) {
    LoggedFailure kind = LoggedFailure.of(failure, names);
    StackTraceElement[] frames = kind.getStackTrace();
    String key = event + kind.chain() + (frames.length == 0 ? "" : frames[0]);
    LogRateLimit trace;
    synchronized (traces) {
      trace = traces.computeIfAbsent(key, it -> new LogRateLimit(TRACE_EVERY, nanoTime));
    }
    return trace.next().isPresent() ? logged(failure) : null;
  }
}
