package io.inbox4j.internal.log;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How an inbox logs failures of code that is not its own: handlers, middleware, listeners. A line
 * for each has its classes; stack traces come seldom, one of each kind every minute at most.
 */
public final class FailureLog {

  static final Duration TRACE_EVERY = Duration.ofMinutes(1);
  static final int MAX_KINDS = 100;

  private final boolean withText;
  private final Function<Throwable, String> names;
  private final LongSupplier nanoTime;

  /** Those that were seen last. */
  private final Map<String, LogRateLimit> traces =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LogRateLimit> eldest) {
          return size() > MAX_KINDS;
        }
      };

  /** Without what exceptions say. */
  public FailureLog() {
    this(false, it -> "");
  }

  /**
   * @param withText whether what exceptions say may be logged
   * @param names what is known of a failure by name, such as its SQLSTATE; never a value
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

  /** What a logger shows the stack trace of. */
  private LoggedFailure logged(Throwable failure) {
    return withText ? LoggedFailure.withText(failure) : LoggedFailure.of(failure, names);
  }

  /**
   * The same, or null if such a stack trace was shown in the last minute.
   *
   * @param event what happened because of the failure; each has a stack trace
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
