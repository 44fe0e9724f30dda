package io.inbox4j.listener;

import java.time.Duration;
import java.util.UUID;

/**
 * An observer of everything that happens in an inbox; metrics and dashboards are listeners.
 *
 * <p>An outcome is reported <b>after</b> the commit that made it durable, on the thread that
 * committed, so a listener should be quick. If the process dies between the commit and the call,
 * the call is never made: use a listener to observe, never for business logic. An exception thrown
 * by a listener is logged and changes nothing. All methods do nothing by default, and each takes
 * one record, so that fields can be added without breaking implementations.
 */
public interface InboxListener {

  /** The message that an outcome concerns. */
  record Message(String endpoint, UUID messageId, String type) {}

  /** The inbox has opened its tables; nothing has been received or handled yet. */
  record Opened(ObservedInbox inbox) {}

  /** The inbox is being closed: nothing more is received or handled. */
  record Closed(ObservedInbox inbox) {}

  /** A message was stored for the first time; it is acknowledged next. */
  record Received(Message message) {}

  /** A delivery had been stored before, so nothing changed. */
  record Duplicate(Message message) {}

  /** A delivery that is not a valid event was quarantined with its bytes and the reason. */
  record Quarantined(String endpoint, QuarantineReason reason, String detail) {}

  /**
   * The handler's effect and the outcome are durable.
   *
   * @param attempt the number of the attempt that succeeded, starting at 1
   * @param lag from storing the message to the commit
   */
  record Processed(Message message, int attempt, Duration lag) {}

  /**
   * The handler failed, its effect was rolled back, and another attempt is due.
   *
   * @param attempt the number of the attempt that failed, starting at 1
   * @param delay how long until the next attempt is due
   */
  record Retried(Message message, int attempt, Duration delay, Throwable failure) {}

  /** The handler asked to be called later, and its effect was rolled back. */
  record Postponed(Message message, String reason) {}

  /** The message is dead; it is kept and can be replayed. */
  record Dead(Message message, int attempt, String error) {}

  /** A quarantined or dead message is pending again. */
  record Replayed(Message message) {}

  /** A dead or pending message was discarded; it will not be handled. */
  record Discarded(Message message) {}

  /**
   * A message that was in flight when a worker died or gave up (a crash, a lost connection) now has
   * an outcome; the call that reports the outcome follows.
   */
  record Recovered(Message message) {}

  /**
   * Deliveries were stored in one transaction; the result of each was reported before.
   *
   * @param deliveries how many, including duplicates and quarantined ones
   */
  record BatchStored(String endpoint, int deliveries) {}

  /** Messages got their outcomes in one transaction; the calls that report the outcomes follow. */
  record BatchHandled(String endpoint, int messages) {}

  /**
   * A call of a handler has returned or thrown, including the middleware around it. This is
   * <b>not</b> an outcome: the call may be rolled back and repeated because of another message of
   * the batch, and the commit is still to come.
   *
   * @param type the event type, of the first message if there are several
   * @param messages how many messages the call handled: one, except for batch handlers
   * @param time how long it took
   * @param succeeded whether it returned without throwing
   */
  record Handled(String endpoint, String type, int messages, Duration time, boolean succeeded) {}

  /** A transaction was abandoned because the infrastructure failed; no attempt was used up. */
  record Interrupted(String endpoint, Throwable cause) {}

  /** An endpoint is connected to its queue and consumes. */
  record Connected(String endpoint) {}

  /** An endpoint has lost the connection to its queue and is reconnecting. */
  record Disconnected(String endpoint, Throwable cause) {}

  /**
   * Most messages of an endpoint failed, so this process stops handling it for a while.
   *
   * @param failureRate the fraction that failed
   * @param pause for how long
   */
  record CircuitOpened(String endpoint, double failureRate, Duration pause) {}

  /** A message of an endpoint whose circuit was half-open succeeded, so handling resumes. */
  record CircuitClosed(String endpoint) {}

  /**
   * The broker has confirmed messages that this process has published, and they are removed.
   *
   * @param messages how many
   */
  record Published(int messages) {}

  /**
   * A published message cannot be sent.
   *
   * @param destination the topic or the queue that it was for
   * @param kept whether it is kept as dead; otherwise it was dropped
   */
  record Undeliverable(
      UUID messageId, String type, String destination, String reason, boolean kept) {}

  /** The status of a component has changed; see {@link ObservedInbox#health()}. */
  record HealthChanged(Health.Part part) {}

  /** Called once. */
  default void opened(Opened event) {}

  /** Called once. */
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

  /** After commit. */
  default void published(Published event) {}

  /** Before the commit; repeated if that fails. */
  default void undeliverable(Undeliverable event) {}

  default void healthChanged(HealthChanged event) {}
}
