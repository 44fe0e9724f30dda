package io.inbox4j.processor;

import io.inbox4j.InboxListener;
import io.inbox4j.handler.Postpone;
import io.inbox4j.internal.FailureLog;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoreUnavailableException;
import io.inbox4j.store.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners and the log what became of messages, after the commit. */
final class Outcomes {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);

  private final String endpoint;
  private final SafeListener listener;
  private final Signal signal;
  private final Circuit circuit;
  private final FailureLog failures;

  Outcomes(
      String endpoint, SafeListener listener, Signal signal, Circuit circuit, FailureLog failures) {
    this.endpoint = endpoint;
    this.listener = listener;
    this.signal = signal;
    this.circuit = circuit;
    this.failures = failures;
  }

  void committed(List<Result> results) {
    if (!results.isEmpty()) {
      report(results);
      tell(results);
    }
  }

  /** What was tried has no outcome. */
  void foundNothing() {
    circuit.foundNothing();
  }

  /** Work was given up for a reason that is no message's fault, and goes on in a while. */
  void interrupted(String work, Duration pause, Throwable cause) {
    log.warn(
        "{} of {} is interrupted, no attempt is used up; going on in {}: {}",
        work,
        endpoint,
        pause,
        why(cause),
        trace("interrupted", cause));
    listener.tell(l -> l.interrupted(endpoint, cause));
  }

  /** Messages are stored, and left to the processor. */
  void notInline(Throwable cause) {
    log.warn(
        "Messages of {} were not handled where they were received, the processor does it: {}",
        endpoint,
        why(cause),
        trace("not inline", cause));
  }

  /** The store says itself what is wrong with it. */
  private String why(Throwable cause) {
    return cause instanceof StoreUnavailableException ? cause.toString() : failures.line(cause);
  }

  private @Nullable Throwable trace(String event, Throwable cause) {
    return cause instanceof StoreUnavailableException ? null : failures.seldom(event, cause);
  }

  /** A handler has ended the transaction of its batch. */
  void broken(BrokenBatchException broken) {
    log.error(
        "A handler of {} ended the inbox's transaction, so effects may be committed of messages"
            + " that are handled again; {} alone from now on: {}",
        endpoint,
        broken.isSolved() ? "its message is tried" : "these are tried, for it is one of them,",
        broken.names());
    listener.tell(l -> l.interrupted(endpoint, broken));
  }

  /** A message was alone when its transaction was lost, this many times in a row. */
  void lost(StoredMessage message, int times, Throwable cause) {
    log.warn(
        "{} {} of {} has lost its transaction {} times in a row, though the database answers"
            + " others; every {} times use up an attempt: {}",
        message.type(),
        message.messageId(),
        endpoint,
        times,
        Losses.PER_ATTEMPT,
        failures.line(cause));
  }

  void tell(List<Result> results) {
    for (Result result : results) {
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

  /** Tells of a transaction as a whole. A postponed message has neither succeeded nor failed. */
  void report(List<Result> results) {
    int ended = 0;
    int failed = 0;
    for (Result result : results) {
      ended += result.outcome() instanceof Outcome.Postponed ? 0 : 1;
      failed +=
          result.outcome() instanceof Outcome.Retry || result.outcome() instanceof Outcome.Dead
              ? 1
              : 0;
    }
    circuit.report(ended, failed);
    listener.tell(l -> l.batchHandled(endpoint, results.size()));
  }

  private void processed(Result result) {
    if (!listener.isEmpty()) {
      InboxListener.Message message = describe(result.message());
      Duration lag = result.message().lagNow();
      listener.tell(l -> l.processed(message, result.attempt(), lag));
    }
  }

  private void retried(Result result, Outcome.Retry retry) {
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
    listener.tell(l -> l.retried(message, result.attempt(), retry.delay(), failure));
  }

  private void postponed(Result result, Outcome.Postponed postponed) {
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
    listener.tell(l -> l.postponed(message, reason));
  }

  private void dead(Result result, Outcome.Dead dead) {
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
    listener.tell(l -> l.dead(message, result.attempt(), dead.error()));
  }

  InboxListener.Message describe(StoredMessage message) {
    return new InboxListener.Message(endpoint, message.messageId(), message.type());
  }
}
