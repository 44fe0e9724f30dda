package io.inbox4j.internal.limit;

import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.CircuitState;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The circuit breaker of one endpoint in this process: how many messages may be claimed now. */
public final class Circuit {

  private static final Logger log = LoggerFactory.getLogger(Circuit.class);

  private final String endpoint;
  private final @Nullable CircuitBreaker breaker;
  private final SafeListener listener;
  private final LongSupplier nanoTime;
  private CircuitState state = CircuitState.CLOSED;
  private long since;
  private int attempts;
  private int failures;

  public Circuit(String endpoint, @Nullable CircuitBreaker breaker, SafeListener listener) {
    this(endpoint, breaker, listener, System::nanoTime);
  }

  public Circuit(
      String endpoint,
      @Nullable CircuitBreaker breaker,
      SafeListener listener,
      LongSupplier nanoTime) {
    this.endpoint = endpoint;
    this.breaker = breaker;
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  public synchronized CircuitState state() {
    return state;
  }

  /** How many messages may be claimed: all, one as a trial, or none. */
  public synchronized int admits() {
    if (breaker == null || state == CircuitState.CLOSED) {
      return Integer.MAX_VALUE;
    }
    if (state == CircuitState.OPEN && hasPassed(breaker.pause())) {
      state = CircuitState.HALF_OPEN;
      return 1;
    }
    return 0;
  }

  /** Records that the admitted worker found no work, so that the next one may try. */
  public synchronized void foundNothing() {
    if (state == CircuitState.HALF_OPEN) {
      state = CircuitState.OPEN;
    }
  }

  /** Records how many attempts ended, and how many of them failed. */
  public void report(int ended, int failed) {
    if (breaker == null) {
      return;
    }
    if (ended == 0) {
      foundNothing();
      return;
    }
    CircuitState before;
    CircuitState after;
    int percent;
    synchronized (this) {
      before = state;
      percent = count(breaker, ended, failed);
      after = state;
    }
    tell(breaker, before, after, percent);
  }

  private int count(CircuitBreaker limits, int ended, int failed) {
    if (state == CircuitState.OPEN) {
      return 0; // from messages that were in flight when it opened
    }
    if (state == CircuitState.CLOSED && hasPassed(limits.window())) {
      restart();
    }
    attempts += ended;
    failures += failed;
    int percent = (int) (100L * failures / attempts);
    if (state == CircuitState.HALF_OPEN) {
      become(failed == 0 ? CircuitState.CLOSED : CircuitState.OPEN);
    } else if (attempts >= limits.minMessages() && failures >= limits.failureRate() * attempts) {
      become(CircuitState.OPEN);
    }
    return percent;
  }

  private void become(CircuitState next) {
    state = next;
    restart();
  }

  private void restart() {
    since = nanoTime.getAsLong();
    attempts = 0;
    failures = 0;
  }

  private boolean hasPassed(Duration time) {
    return nanoTime.getAsLong() - since >= time.toNanos();
  }

  private void tell(CircuitBreaker limits, CircuitState before, CircuitState after, int percent) {
    if (before == CircuitState.CLOSED && after == CircuitState.OPEN) {
      log.error(
          "{} % of the messages of {} fail: it rests for {}, then one is tried",
          percent, endpoint, limits.pause());
      listener.tell(
          l ->
              l.circuitOpened(
                  new InboxListener.CircuitOpened(endpoint, percent / 100.0, limits.pause())));
    } else if (before == CircuitState.HALF_OPEN && after == CircuitState.OPEN) {
      log.warn("The messages of {} still fail: it rests for another {}", endpoint, limits.pause());
    } else if (before == CircuitState.HALF_OPEN && after == CircuitState.CLOSED) {
      log.info("A message of {} was handled: it goes on", endpoint);
      listener.tell(l -> l.circuitClosed(new InboxListener.CircuitClosed(endpoint)));
    }
  }
}
