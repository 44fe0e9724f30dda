package io.inbox4j.processor;

import io.inbox4j.InboxListener;
import io.inbox4j.handler.Postpone;
import io.inbox4j.internal.SafeListener;
import io.inbox4j.store.Outcome;
import io.inbox4j.store.StoredMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners and the log what became of messages, after the commit. */
final class Outcomes {

  private static final Logger log = LoggerFactory.getLogger(InboxProcessor.class);

  private final String endpoint;
  private final SafeListener listener;
  private final Signal signal;
  private final Circuit circuit;

  Outcomes(String endpoint, SafeListener listener, Signal signal, Circuit circuit) {
    this.endpoint = endpoint;
    this.listener = listener;
    this.signal = signal;
    this.circuit = circuit;
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
        "{} {} of {} failed in attempt {} and is due again in {}: {}",
        result.message().type(),
        result.message().messageId(),
        endpoint,
        result.attempt(),
        retry.delay(),
        FailureText.kind(failure));
    InboxListener.Message message = describe(result.message());
    listener.tell(l -> l.retried(message, result.attempt(), retry.delay(), failure));
  }

  private void postponed(Result result, Outcome.Postponed postponed) {
    if (postponed.when() instanceof Postpone.When.After after) {
      signal.raiseAfter(after.delay());
    }
    String reason = String.valueOf(Objects.requireNonNull(result.failure()).getMessage());
    log.debug("{} of {} is postponed: {}", result.message().messageId(), endpoint, reason);
    InboxListener.Message message = describe(result.message());
    listener.tell(l -> l.postponed(message, reason));
  }

  private void dead(Result result, Outcome.Dead dead) {
    log.error(
        "{} {} of {} is dead after attempt {}{}; it is kept with its error, replay it when that is"
            + " mended",
        result.message().type(),
        result.message().messageId(),
        endpoint,
        result.attempt(),
        result.failure() == null ? "" : ": " + FailureText.kind(result.failure()));
    InboxListener.Message message = describe(result.message());
    listener.tell(l -> l.dead(message, result.attempt(), dead.error()));
  }

  InboxListener.Message describe(StoredMessage message) {
    return new InboxListener.Message(endpoint, message.messageId(), message.type());
  }
}
