package io.inbox4j.internal.run;

import io.inbox4j.handler.Postpone;
import io.inbox4j.internal.limit.Circuit;
import io.inbox4j.internal.limit.WorkSignal;
import io.inbox4j.internal.log.FailureLog;
import io.inbox4j.internal.notify.SafeListener;
import io.inbox4j.listener.InboxListener;
import io.inbox4j.store.ClaimedMessage;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the outcomes of messages to listeners and the log, after the commit. */
public final class OutcomeReporter {

  private static final Logger log = LoggerFactory.getLogger(OutcomeReporter.class);

  private final String endpoint;
  private final SafeListener listener;
  private final WorkSignal signal;
  private final Circuit circuit;
  private final FailureLog failures;

  public OutcomeReporter(
      String endpoint,
      SafeListener listener,
      WorkSignal signal,
      Circuit circuit,
      FailureLog failures) {
    this.endpoint = endpoint;
    this.listener = listener;
    this.signal = signal;
    this.circuit = circuit;
    this.failures = failures;
  }

  public void committed(List<HandledMessage> results) {
    if (!results.isEmpty()) {
      report(results);
      tell(results);
    }
  }

  /** Reports that an attempt to work found nothing and has no outcome. */
  public void foundNothing() {
    circuit.foundNothing();
  }

  /**
   * Reports that work was abandoned for a reason not caused by a message, and resumes after a
   * pause.
   */
  public void interrupted(String work, Duration pause, Throwable cause) {
    log.warn(
        "{} of {} is interrupted, no attempt is used up; going on in {}: {}",
        work,
        endpoint,
        pause,
        why(cause),
        trace("interrupted", cause));
    interrupted(cause);
  }

  /** Tells the listeners that work was abandoned, or cannot be committed yet. */
  public void interrupted(Throwable cause) {
    listener.tell(l -> l.interrupted(new InboxListener.Interrupted(endpoint, cause)));
  }

  /** Tells the listeners that a message that was orphaned has got its outcome. */
  public void recovered(ClaimedMessage message) {
    listener.tell(l -> l.recovered(new InboxListener.Recovered(describe(message))));
  }

  /** Reports that messages were stored but not handled inline, and are left to the processor. */
  public void notInline(Throwable cause) {
    log.warn(
        "Messages of {} were not handled where they were received, the processor does it: {}",
        endpoint,
        why(cause),
        trace("not inline", cause));
  }

  /** A store failure describes itself; anything else goes through the failure log. */
  private String why(Throwable cause) {
    return cause instanceof StoreUnavailableException ? cause.toString() : failures.line(cause);
  }

  private @Nullable Throwable trace(String event, Throwable cause) {
    return cause instanceof StoreUnavailableException ? null : failures.seldom(event, cause);
  }

  /** Reports that a handler has ended the transaction of its batch. */
  public void broken(BrokenBatchException broken) {
    log.error(
        "A handler of {} ended the inbox's transaction, so effects may be committed of messages"
            + " that are handled again; {} alone from now on: {}",
        endpoint,
        broken.isSolved() ? "its message is tried" : "these are tried, for it is one of them,",
        broken.names());
    interrupted(broken);
  }

  /** Reports that a message was alone when its transaction was lost, this many times in a row. */
  public void lost(ClaimedMessage message, int times, Throwable cause) {
    log.warn(
        "{} {} of {} has lost its transaction {} times in a row, though the database answers"
            + " others; every {} times use up an attempt: {}",
        message.type(),
        message.messageId(),
        endpoint,
        times,
        TransactionLosses.PER_ATTEMPT,
        failures.line(cause));
  }

  public void tell(List<HandledMessage> results) {
    for (HandledMessage result : results) {
      if (result.outcome() instanceof Outcome.Retry retry) {
        retried(result, retry);
      } else if (result.outcome() instanceof Outcome.Postponed postponed) {
        postponed(result, postponed);
      } else if (result.outcome() instanceof Outcome.Dead dead) {
        dead(result, dead);
      } else {
        processed(result);
      }
    }
  }

  /**
   * Reports a transaction as a whole. A postponed message counts neither as success nor as failure.
   */
  public void report(List<HandledMessage> results) {
    int ended = 0;
    int failed = 0;
    for (HandledMessage result : results) {
      ended += result.outcome() instanceof Outcome.Postponed ? 0 : 1;
      failed +=
          result.outcome() instanceof Outcome.Retry || result.outcome() instanceof Outcome.Dead
              ? 1
              : 0;
    }
    circuit.report(ended, failed);
    listener.tell(l -> l.batchHandled(new InboxListener.BatchHandled(endpoint, results.size())));
  }

  private void processed(HandledMessage result) {
    if (!listener.isEmpty()) {
      InboxListener.Message message = describe(result.message());
      Duration lag = result.message().lagNow();
      listener.tell(l -> l.processed(new InboxListener.Processed(message, result.attempt(), lag)));
    }
  }

  private void retried(HandledMessage result, Outcome.Retry retry) {
    signal.raiseAfter(retry.delay());
    Throwable failure = Objects.requireNonNull(result.failure());
    log.warn(
        "{} {} of {} failed in attempt {} and is due again in {}: {}; for what it says: inbox show"
            + " {}",
        result.message().type(),
        result.message().messageId(),
        endpoint,
        result.attempt(),
        retry.delay(),
        failures.line(failure),
        result.message().messageId(),
        failures.seldom("retried", failure));
    InboxListener.Message message = describe(result.message());
    listener.tell(
        l ->
            l.retried(
                new InboxListener.Retried(message, result.attempt(), retry.delay(), failure)));
  }

  private void postponed(HandledMessage result, Outcome.Postponed postponed) {
    if (postponed.when() instanceof Postpone.When.After after) {
      signal.raiseAfter(after.delay());
    }
    Throwable failure = Objects.requireNonNull(result.failure());
    log.debug(
        "{} of {} is postponed: {}",
        result.message().messageId(),
        endpoint,
        failures.line(failure));
    String reason = String.valueOf(failure.getMessage());
    InboxListener.Message message = describe(result.message());
    listener.tell(l -> l.postponed(new InboxListener.Postponed(message, reason)));
  }

  private void dead(HandledMessage result, Outcome.Dead dead) {
    Throwable failure = result.failure();
    log.error(
        "{} {} of {} is dead after attempt {}{}; it is kept with its error, replay it when that is"
            + " mended: inbox show {}",
        result.message().type(),
        result.message().messageId(),
        endpoint,
        result.attempt(),
        failure == null ? "" : ": " + failures.line(failure),
        result.message().messageId(),
        failure == null ? null : failures.seldom("dead", failure));
    InboxListener.Message message = describe(result.message());
    listener.tell(l -> l.dead(new InboxListener.Dead(message, result.attempt(), dead.error())));
  }

  private InboxListener.Message describe(ClaimedMessage message) {
    return new InboxListener.Message(endpoint, message.messageId(), message.type());
  }
}
