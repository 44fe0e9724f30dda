package io.inbox4j.internal.receive;

import io.inbox4j.internal.DurationRange;
import java.time.Duration;

/**
 * What an endpoint accepts at most.
 *
 * @param maxBodySize bytes of a body
 * @param maxHeaderSize bytes of the headers, as JSON
 * @param maxDelay how far ahead the time may be before which a message is not to be handled
 */
public record ReceiveLimits(int maxBodySize, int maxHeaderSize, Duration maxDelay) {

  public static final int DEFAULT_MAX_BODY_SIZE = 4 << 20;
  public static final int DEFAULT_MAX_HEADER_SIZE = 64 << 10;

  public static final Duration DEFAULT_MAX_DELAY = Duration.ofDays(366);

  public ReceiveLimits {
    DurationRange.ANY.check("maxDelay", maxDelay);
  }

  /** With a delay of 366 days at most. */
  public ReceiveLimits(int maxBodySize, int maxHeaderSize) {
    this(maxBodySize, maxHeaderSize, DEFAULT_MAX_DELAY);
  }

  /** 4 MiB, 64 KiB and 366 days. */
  public static ReceiveLimits ofDefaults() {
    return new ReceiveLimits(DEFAULT_MAX_BODY_SIZE, DEFAULT_MAX_HEADER_SIZE);
  }
}
