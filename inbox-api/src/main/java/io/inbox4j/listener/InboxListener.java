package io.inbox4j.listener;

import java.time.Duration;
import java.util.UUID;

/**
 * Is told about everything that happens in an inbox; metrics and dashboards are listeners.
 *
 * <p>An outcome is told <b>after</b> the commit that made it true, on the thread that committed, so
 * a listener should be quick. A process that dies between the commit and the call never makes the
 * call: use a listener to observe, never for business logic. What a listener throws is logged and
 * changes nothing. All methods do nothing by default, and each takes one record, so that more facts
 * can be added without breaking anyone.
 */
public interface InboxListener {

  /** Which message an outcome is about. */
  record Message(String endpoint, UUID messageId, String type) {}

  /** The inbox has its tables; nothing was received or handled yet. */
  record Opened(ObservedInbox inbox) {}

  /** The inbox is being closed: nothing is received or handled any more. */
  record Closed(ObservedInbox inbox) {}

  /** A message was stored for the first time; it is acknowledged next. */
  record Received(Message message) {}

  /** A delivery had been stored before; nothing changed. */
  record Duplicate(Message message) {}

  /** A delivery that is not a valid event was quarantined with its bytes and the reason. */
  record Quarantined(String endpoint, QuarantineReason reason, String detail) {}

  /**
   * The handler's effect and the outcome are durable.
   *
   * @param attempt which attempt succeeded, from 1
   * @param lag from storing the message to the commit
   */
  record Processed(Message message, int attempt, Duration lag) {}

  /**
   * The handler failed, its effect was rolled back, and another attempt is due.
   *
   * @param attempt which attempt failed, from 1
   * @param delay how long until the next attempt is due
   */
  record Retried(Message message, int attempt, Duration delay, Throwable failure) {}

  /** The handler asked to be called later, and what it did was rolled back. */
  record Postponed(Message message, String reason) {}

  /** The message was given up on; it is kept and can be replayed. */
  record Dead(Message message, int attempt, String error) {}

  /** A quarantined or dead message is pending again. */
  record Replayed(Message message) {}

  /** A dead or pending message was discarded; it will not be handled any more. */
  record Discarded(Message message) {}

  /**
   * A message that was in flight when a worker died or gave up (a crash, a lost connection) has an
   * outcome now; the call that tells which follows.
   */
  record Recovered(Message message) {}

  /**
   * Deliveries were stored together; what became of each was told before.
   *
   * @param deliveries how many, including duplicates and quarantined ones
   */
  record BatchStored(String endpoint, int deliveries) {}

  /** Messages got their outcomes in one transaction; the calls that tell which follow. */
  record BatchHandled(String endpoint, int messages) {}

  /**
   * A call of a handler has returned or thrown, including the middleware around it. This is
   * <b>not</b> an outcome: the call may be rolled back and repeated because of another message of
   * the batch, and the commit is still to come.
   *
   * @param type the event type, of the first message if there are several
   * @param messages how many messages the call was about: one, except for batch handlers
   * @param time how long it took
   * @param succeeded whether it returned without throwing
   */
  record Handled(String endpoint, String type, int messages, Duration time, boolean succeeded) {}

  /** A transaction was given up because of the infrastructure; no attempt was used up. */
  record Interrupted(String endpoint, Throwable cause) {}

  /** An endpoint is connected to its queue and consumes. */
  record Connected(String endpoint) {}

  /** An endpoint has lost the connection to its queue; it is being set up again. */
  record Disconnected(String endpoint, Throwable cause) {}

  /**
   * Most messages of an endpoint failed, so this process stops handling it for a while.
   *
   * @param failureRate the fraction that failed
   * @param pause for how long
   */
  record CircuitOpened(String endpoint, double failureRate, Duration pause) {}

  /** A message of an endpoint whose circuit was open succeeded, so handling goes on. */
  record CircuitClosed(String endpoint) {}

  /**
   * A component of the inbox has another status than before; see {@link ObservedInbox#health()}.
   */
  record HealthChanged(Health.Part part) {}

  /** Told once. */
  default void opened(Opened event) {}

  /** Told once. */
  default void closed(Closed event) {}

  /** After commit. */
  default void received(Received event) {}

  /** After commit. */
  default void duplicate(Duplicate event) {}

  /** After commit. */
  default void quarantined(Quarantined event) {}

  /** After commit. */
  default void processed(Processed event) {}

  /** After commit. */
  default void retried(Retried event) {}

  /** After commit. */
  default void postponed(Postponed event) {}

  /** After commit. */
  default void dead(Dead event) {}

  /** After commit. */
  default void replayed(Replayed event) {}

  /** After commit. */
  default void discarded(Discarded event) {}

  /** After commit, before the outcome. */
  default void recovered(Recovered event) {}

  /** After commit. */
  default void batchStored(BatchStored event) {}

  /** After commit, before the outcomes. */
  default void batchHandled(BatchHandled event) {}

  /** Before the commit. */
  default void handled(Handled event) {}

  /** After the rollback. */
  default void interrupted(Interrupted event) {}

  default void connected(Connected event) {}

  default void disconnected(Disconnected event) {}

  default void circuitOpened(CircuitOpened event) {}

  default void circuitClosed(CircuitClosed event) {}

  default void healthChanged(HealthChanged event) {}
}
