package io.inbox4j.internal.notify;

import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.log.LogRateLimit;
import io.inbox4j.listener.InboxListener;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All listeners of an inbox. Whatever one of them throws, declared or not, stops nothing: it is
 * logged, at most every few seconds per listener.
 */
public final class SafeListener {

  private static final Logger log = LoggerFactory.getLogger(SafeListener.class);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);

  private final List<Listening> listeners;
  private final FailureLog failures;

  private record Listening(InboxListener listener, LogRateLimit reports) {}

  public SafeListener(List<InboxListener> listeners) {
    this(listeners, new FailureLog());
  }

  public SafeListener(List<InboxListener> listeners, FailureLog failures) {
    this.failures = failures;
    this.listeners =
        listeners.stream().map(it -> new Listening(it, new LogRateLimit(REPORT_EVERY))).toList();
  }

  /** Whether there are no listeners, so that nothing needs to be reported. */
  public boolean isEmpty() {
    return listeners.isEmpty();
  }

  /** Notifies every listener. */
  public void tell(Consumer<InboxListener> outcome) {
    for (Listening listening : listeners) {
      try {
        outcome.accept(listening.listener);
      } catch (Throwable e) { // a listener may be written in a language without checked exceptions
        failed(listening, e);
      }
    }
  }

  private void failed(Listening listening, Throwable failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt(); // it was meant for the caller of the listener
    }
    try {
      OptionalLong before = listening.reports.next();
      if (before.isPresent()) {
        log.error(
            "The listener {} failed, which affects no message; it failed {} times more since this"
                + " was last said: {}",
            listening.listener.getClass().getName(),
            before.getAsLong(),
            failures.line(failure),
            failures.seldom("listener", failure));
      }
    } catch (Throwable unreportable) {
      // out of memory for the report, or a failure that cannot be shown
    }
  }
}
