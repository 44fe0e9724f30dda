package io.inbox4j.internal.receive;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/**
 * The limits on what an endpoint accepts.
 *
 * @param maxBodySize the maximum size of a body, in bytes
 * @param maxHeaderSize the maximum size of the headers as JSON, in bytes
 * @param maxDelay how far in the future a message's earliest handling time may be
 */
public record ReceiveLimits(int maxBodySize, int maxHeaderSize, Duration maxDelay) {

  public static final int DEFAULT_MAX_BODY_SIZE = 4 << 20;
  public static final int DEFAULT_MAX_HEADER_SIZE = 64 << 10;

  public static final Duration DEFAULT_MAX_DELAY = Duration.ofDays(366);

  public ReceiveLimits {
    DurationRange.ANY.check("maxDelay", maxDelay);
  }

  /** Limits with a maximum delay of 366 days. */
  public ReceiveLimits(int maxBodySize, int maxHeaderSize) {
    this(maxBodySize, maxHeaderSize, DEFAULT_MAX_DELAY);
  }

  /** 4 MiB, 64 KiB and 366 days. */
  public static ReceiveLimits ofDefaults() {
    return new ReceiveLimits(DEFAULT_MAX_BODY_SIZE, DEFAULT_MAX_HEADER_SIZE);
  }
}
