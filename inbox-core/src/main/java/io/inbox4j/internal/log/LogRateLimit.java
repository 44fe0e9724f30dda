package io.inbox4j.internal.log;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Lets one of many things of a kind through every while, for those who report them. */
public final class LogRateLimit {

  private final long apartNanos;
  private final LongSupplier nanoTime;
  private boolean begun;
  private long last;
  private long heldBack;

  /**
   * @param apart how long at least from one that is let through to the next
   */
  public LogRateLimit(Duration apart) {
    this(apart, System::nanoTime);
  }

  LogRateLimit(Duration apart, LongSupplier nanoTime) {
    this.apartNanos = apart.toNanos();
    this.nanoTime = nanoTime;
  }

  /** How many were held back since the last that was let through; empty to hold back this one. */
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
