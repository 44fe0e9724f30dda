package io.inbox4j.store;

import io.inbox4j.operations.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The status of a store and of what is waiting in it.
 *
 * @param readOnly whether it accepts no writes, as after a failover
 * @param transactions the open transactions
 * @param endpoints what is waiting, by endpoint
 */
public record StoreStatus(
    boolean readOnly, Transactions transactions, Map<String, Waiting> endpoints) {

  /** A message that is due later than this blocks its ordering key for longer than it should. */
  public static final Duration LONG = Duration.ofHours(1);

  public StoreStatus {
    endpoints = Map.copyOf(endpoints);
  }

  /**
   * The open transactions that keep the database from cleaning up.
   *
   * @param oldest the age of the oldest, or null if there is none
   * @param holder who holds it, or null
   * @param hidden why not all of them are visible, or null if they are
   */
  public record Transactions(
      @Nullable Duration oldest, @Nullable String holder, @Nullable String hidden) {}

  /**
   * What is waiting at an endpoint.
   *
   * @param oldestDue for how long the oldest due message has been due, or null if none is
   * @param leaseRanOut whether that message was in flight under a lease that expired
   * @param stuck the message that was in flight most often without an outcome, or null if there is
   *     none
   * @param holdingKey a dead message that blocks later ones of its ordering key, or null if there
   *     is none
   * @param blocked messages that are due but wait for another one of their ordering key, or null if
   *     there are none
   * @param pause why nothing is handled, or null if the endpoint is not paused
   */
  public record Waiting(
      @Nullable Duration oldestDue,
      boolean leaseRanOut,
      @Nullable Stuck stuck,
      @Nullable UUID holdingKey,
      @Nullable Blocked blocked,
      @Nullable Pause pause) {}

  /**
   * A message that was in flight repeatedly without an outcome.
   *
   * @param messageId the message
   * @param type its event type
   * @param timesInFlight how many times a worker began to handle it
   */
  public record Stuck(UUID messageId, String type, int timesInFlight) {}

  /**
   * Messages that are due but wait for an earlier one of their ordering key, which is not due for
   * {@link #LONG}.
   *
   * @param waiting how many wait, as far as counted
   * @param messageId the message that they wait for; of several, the one that is due last
   * @param until when that message is due
   */
  public record Blocked(long waiting, UUID messageId, Instant until) {

    @Override
    public String toString() {
      return "%s for message %s of the same ordering key, which is not due before %s"
          .formatted(
              waiting == 1 ? "1 message waits" : waiting + " messages wait", messageId, until);
    }
  }
}
