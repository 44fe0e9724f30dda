package io.inbox4j.internal.log;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** A rate limit for log lines: lets one occurrence through per interval. */
public final class LogRateLimit {

  private final long apartNanos;
  private final LongSupplier nanoTime;
  private boolean begun;
  private long last;
  private long heldBack;

  /**
   * @param apart the minimum time between two that are let through
   */
  public LogRateLimit(Duration apart) {
    this(apart, System::nanoTime);
  }

  LogRateLimit(Duration apart, LongSupplier nanoTime) {
    this.apartNanos = apart.toNanos();
    this.nanoTime = nanoTime;
  }

  /** How many were suppressed since the last that was let through; empty to suppress this one. */
  public synchronized OptionalLong next() {
    long now = nanoTime.getAsLong();
    if (begun && now - last < apartNanos) {
      heldBack++;
      return OptionalLong.empty();
    }
    OptionalLong before = OptionalLong.of(heldBack);
    begun = true;
    last = now;
    heldBack = 0;
    return before;
  }
}
