package io.inbox4j.receive;

/**
 * What an endpoint accepts at most.
 *
 * @param maxBodySize bytes of a body
 * @param maxHeaderSize bytes of the headers, as JSON
 */
public record ReceiveLimits(int maxBodySize, int maxHeaderSize) {

  public static final int DEFAULT_MAX_BODY_SIZE = 4 << 20;
  public static final int DEFAULT_MAX_HEADER_SIZE = 64 << 10;

  /** 4 MiB and 64 KiB. */
  public static ReceiveLimits ofDefaults() {
    return new ReceiveLimits(DEFAULT_MAX_BODY_SIZE, DEFAULT_MAX_HEADER_SIZE);
  }
}
