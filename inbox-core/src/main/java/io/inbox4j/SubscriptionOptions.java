package io.inbox4j;

import io.inbox4j.internal.DurationRange;
import io.inbox4j.internal.endpoint.EndpointConfig;
import io.inbox4j.internal.receive.ReceiveLimits;
import io.inbox4j.retry.CircuitBreaker;
import io.inbox4j.retry.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options that can be set for one subscription, or as the default for all.
 *
 * @param <B> the builder that the setters return
 */
public abstract class SubscriptionOptions<B extends SubscriptionOptions<B>> {

  public static final int DEFAULT_CONSUMERS = 1;
  public static final int DEFAULT_PREFETCH = 2_000;
  public static final int DEFAULT_BATCH_SIZE = 512;
  public static final int DEFAULT_CONCURRENCY = 4;
  public static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(1);
  public static final Duration DEFAULT_MAX_LAG = Duration.ofMinutes(1);

  static final DurationRange UP_TO_A_YEAR = DurationRange.upTo(Duration.ofDays(366));
  private static final DurationRange UP_TO_AN_HOUR = DurationRange.upTo(Duration.ofHours(1));

  int consumers = DEFAULT_CONSUMERS;
  int prefetch = DEFAULT_PREFETCH;
  int batchSize = DEFAULT_BATCH_SIZE;
  int concurrency = DEFAULT_CONCURRENCY;
  boolean isolated;
  Duration pollInterval = DEFAULT_POLL_INTERVAL;
  Duration maxLag = DEFAULT_MAX_LAG;
  RetryPolicy retry = RetryPolicy.ofDefaults();
  @Nullable CircuitBreaker breaker;
  ReceiveLimits limits = ReceiveLimits.ofDefaults();

  SubscriptionOptions() {}

  SubscriptionOptions(SubscriptionOptions<?> defaults) {
    consumers = defaults.consumers;
    prefetch = defaults.prefetch;
    batchSize = defaults.batchSize;
    concurrency = defaults.concurrency;
    isolated = defaults.isolated;
    pollInterval = defaults.pollInterval;
    maxLag = defaults.maxLag;
    retry = defaults.retry;
    breaker = defaults.breaker;
    limits = defaults.limits;
  }

  abstract B self();

  /**
   * How many consumers receive from the queue concurrently in this process, 1 to 64. More than one
   * gives up arrival order. Defaults to 1.
   */
  public B consumers(int count) {
    consumers = inRange("consumers", count, 1, 64);
    return self();
  }

  /**
   * How many unacknowledged deliveries a consumer may hold, 1 to 65,535. Two or three batches keep
   * the broker and the database busy. Defaults to 2000.
   */
  public B prefetch(int count) {
    prefetch = inRange("prefetch", count, 1, 65_535);
    return self();
  }

  /**
   * The maximum number of messages per transaction, both for storing and for handling, 1 to 10,000.
   * Defaults to 512.
   */
  public B batchSize(int messages) {
    batchSize = inRange("batchSize", messages, 1, 10_000);
    return self();
  }

  /**
   * How many handlers run concurrently in this process; each needs a database connection, except
   * leased ones. Defaults to 4.
   */
  public B concurrency(int handlers) {
    concurrency = inRange("concurrency", handlers, 1, EndpointConfig.MAX_WORKERS);
    return self();
  }

  /**
   * Gives every message a transaction of its own, in every mode, so that its handler never sees
   * uncommitted changes of another message and is never called again because of one. With a commit
   * per message, throughput is about a tenth. Defaults to no.
   */
  public B isolated() {
    isolated = true;
    return self();
  }

  /** How often workers poll for messages without being woken, 1 ms to 1 hour. Defaults to 1 s. */
  public B pollInterval(Duration interval) {
    pollInterval = UP_TO_AN_HOUR.check("pollInterval", interval);
    return self();
  }

  /**
   * How long a message may be due before {@link Inbox#health()} reports the lag as degraded;
   * nothing else depends on it. 1 ms to 366 days; defaults to 1 min.
   */
  public B maxLag(Duration lag) {
    maxLag = UP_TO_A_YEAR.check("maxLag", lag);
    return self();
  }

  /** The retry policy for failed attempts. Defaults to {@link RetryPolicy#ofDefaults()}. */
  public B retry(RetryPolicy policy) {
    retry = policy;
    return self();
  }

  /**
   * The circuit breaker, which pauses the subscription while most of its messages fail. Defaults to
   * none.
   */
  public B circuitBreaker(CircuitBreaker circuitBreaker) {
    breaker = circuitBreaker;
    return self();
  }

  /** The maximum size of a body in bytes; a larger one is quarantined. Defaults to 4 MiB. */
  public B maxBodySize(int bytes) {
    inRange("maxBodySize", bytes, 1, 1 << 29);
    limits = new ReceiveLimits(bytes, limits.maxHeaderSize(), limits.maxDelay());
    return self();
  }

  /**
   * The maximum size of the headers as JSON, in bytes; above it the delivery is quarantined.
   * Defaults to 64 KiB.
   */
  public B maxHeaderSize(int bytes) {
    inRange("maxHeaderSize", bytes, 1, 1 << 27);
    limits = new ReceiveLimits(limits.maxBodySize(), bytes, limits.maxDelay());
    return self();
  }

  /**
   * How far in the future a message's earliest handling time may be; a message with a later time is
   * quarantined. Defaults to 366 days, and is at most 36,500 days.
   */
  public B maxDelay(Duration delay) {
    limits = new ReceiveLimits(limits.maxBodySize(), limits.maxHeaderSize(), delay);
    return self();
  }

  static int inRange(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s is %d; expected %d to %d".formatted(option, value, min, max));
    }
    return value;
  }

  /** The default options of all subscriptions. */
  public static final class Defaults extends SubscriptionOptions<Defaults> {

    Defaults() {}

    @Override
    Defaults self() {
      return this;
    }
  }
}
