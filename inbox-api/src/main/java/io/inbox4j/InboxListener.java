package io.inbox4j;

import io.inbox4j.operations.Health;
import io.inbox4j.receive.QuarantineReason;
import java.time.Duration;
import java.util.UUID;

/**
 * Hears of every outcome; metrics and dashboards are listeners.
 *
 * <p>An outcome is told <b>after</b> the commit that made it true, on the thread that committed, so
 * a listener should be quick. A process that dies between the commit and the call never makes the
 * call: a listener observes, it must not do business. What a listener throws is logged and changes
 * nothing. All methods do nothing by default.
 */
public interface InboxListener {

  /** Which message an outcome is about. */
  record Message(String endpoint, UUID messageId, String type) {}

  /** The inbox has its tables; nothing was received or handled yet. Told once. */
  default void opened(Inbox inbox) {}

  /** The inbox is being closed: nothing is received or handled any more. Told once. */
  default void closed(Inbox inbox) {}

  /** After commit: a message was stored for the first time, before it is acknowledged. */
  default void received(Message message) {}

  /** After commit: a delivery had been stored before; nothing changed. */
  default void duplicate(Message message) {}

  /** After commit: a delivery that is no event was put aside with its bytes and the reason. */
  default void quarantined(String endpoint, QuarantineReason reason, String detail) {}

  /**
   * After commit: the handler's effect and the outcome are durable.
   *
   * @param attempt which attempt succeeded, from 1
   * @param lag from storing the message to the commit
   */
  default void processed(Message message, int attempt, Duration lag) {}

  /**
   * After commit: the handler failed, its effect was undone, and another attempt is due.
   *
   * @param attempt which attempt failed, from 1
   * @param delay how long until the next attempt is due
   */
  default void retried(Message message, int attempt, Duration delay, Throwable failure) {}

  /** After commit: the handler said that it is too early, and what it did was undone. */
  default void postponed(Message message, String reason) {}

  /** After commit: the message was given up on; it is kept and can be replayed. */
  default void dead(Message message, int attempt, String error) {}

  /** After commit: a message came back from the quarantine or from the dead, to be handled. */
  default void replayed(Message message) {}

  /** After commit: a dead or pending message was discarded; it will not be handled any more. */
  default void discarded(Message message) {}

  /**
   * After commit: a message that was in hand when a worker died or gave up (a crash, a lost
   * connection) has an outcome now; the call that tells which follows.
   */
  default void recovered(Message message) {}

  /**
   * After commit: deliveries were stored together; what became of each was told before.
   *
   * @param deliveries how many, duplicates and quarantined ones included
   */
  default void batchStored(String endpoint, int deliveries) {}

  /**
   * After commit: messages got their outcomes in one transaction; the calls that tell which follow.
   */
  default void batchHandled(String endpoint, int messages) {}

  /**
   * A call of a handler has ended, with the middleware around it. This is <b>no</b> outcome: the
   * call may be undone and repeated because of a neighbour, and the commit is still to come.
   *
   * @param type the event type, of the first message if there are several
   * @param messages how many messages the call was about: one, unless it is a handler of batches
   * @param time how long it took
   * @param well whether it returned, and did not throw
   */
  default void handled(String endpoint, String type, int messages, Duration time, boolean well) {}

  /** A transaction was given up because of the infrastructure; no attempt was used up. */
  default void interrupted(String endpoint, Throwable cause) {}

  /** The connection of an endpoint to its queue is up, and it consumes. */
  default void connected(String endpoint) {}

  /** The connection of an endpoint to its queue is down; it is being set up again. */
  default void disconnected(String endpoint, Throwable cause) {}

  /**
   * Most messages of an endpoint failed, so this process lets it rest.
   *
   * @param failureRate which part failed
   * @param pause for how long
   */
  default void circuitOpened(String endpoint, double failureRate, Duration pause) {}

  /** A message of an endpoint that rested was handled, so it goes on. */
  default void circuitClosed(String endpoint) {}

  /** A part of the inbox has another status than before; see {@link Inbox#health()}. */
  default void healthChanged(Health.Part part) {}
}
