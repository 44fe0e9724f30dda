package io.inbox4j.store;

import io.inbox4j.operations.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a store says about itself and about what waits in it.
 *
 * @param readOnly whether it takes no changes, as after a failover
 * @param transactions the transactions that are open in it
 * @param endpoints what waits, by endpoint
 */
public record StoreStatus(
    boolean readOnly, Transactions transactions, Map<String, Waiting> endpoints) {

  /** A message that is due later than this keeps its ordering key for longer than it should. */
  public static final Duration LONG = Duration.ofHours(1);

  public StoreStatus {
    endpoints = Map.copyOf(endpoints);
  }

  /**
   * The open transactions that keep the store from cleaning up.
   *
   * @param oldest the age of the oldest, or null if there is none
   * @param holder whose it is, or null
   * @param hidden why not all of them can be seen, or null if they can
   */
  public record Transactions(
      @Nullable Duration oldest, @Nullable String holder, @Nullable String hidden) {}

  /**
   * What waits at an endpoint.
   *
   * @param oldestDue for how long the oldest message that is due has been so, or null for none
   * @param leaseRanOut whether somebody had that message in hand and has lost it
   * @param stuck the message that was in hand most often without an outcome, or null for none
   * @param holdingKey a dead message that later ones of its ordering key wait for, or null for none
   * @param blocked what is due and waits for a message of its ordering key, or null for nothing
   * @param pause why nothing is handled, or null
   */
  public record Waiting(
      @Nullable Duration oldestDue,
      boolean leaseRanOut,
      @Nullable Stuck stuck,
      @Nullable UUID holdingKey,
      @Nullable Blocked blocked,
      @Nullable Pause pause) {}

  /**
   * A message that was in hand again and again.
   *
   * @param messageId the message
   * @param type its event type
   * @param timesInHand how often somebody began with it
   */
  public record Stuck(UUID messageId, String type, int timesInHand) {}

  /**
   * Messages that are due, but wait for an earlier one of their ordering key, which is not due for
   * {@link #LONG}.
   *
   * @param waiting how many wait, as far as was looked
   * @param messageId the message that they wait for; of several the one that is due last
   * @param until when that is due
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
