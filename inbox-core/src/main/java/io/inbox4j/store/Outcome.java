package io.inbox4j.store;

import io.inbox4j.handler.Postpone;
import java.time.Duration;

/** The outcome of a claimed message. */
public sealed interface Outcome {

  /** The sequence of the message. */
  long sequence();

  /** Its handler succeeded. */
  record Processed(long sequence) implements Outcome {}

  /**
   * Its handler failed, and another attempt is due after the delay.
   *
   * @param error the text of the failure with its stack trace
   * @param alone whether it is orphaned from now on and has to run alone
   * @param failure what the history of the message keeps of the attempt
   */
  record Retry(long sequence, Duration delay, String error, boolean alone, AttemptFailure failure)
      implements Outcome {

    /** A retry without an exception, that may share a batch with other messages. */
    public Retry(long sequence, Duration delay, String error) {
      this(sequence, delay, error, false, AttemptFailure.crash(error));
    }
  }

  /** Its handler postponed it; no attempt is used up. */
  record Postponed(long sequence, Postpone.When when) implements Outcome {}

  /**
   * It is dead: no further attempt is made.
   *
   * @param error the text of the failure with its stack trace
   * @param blocksKey whether later messages of its ordering key wait until it is replayed or
   *     discarded
   * @param failure what the history of the message keeps of the attempt
   */
  record Dead(long sequence, String error, boolean blocksKey, AttemptFailure failure)
      implements Outcome {

    /** A message that is given up on without an exception. */
    public Dead(long sequence, String error, boolean blocksKey) {
      this(sequence, error, blocksKey, AttemptFailure.crash(error));
    }

    /** A dead message that does not block its ordering key. */
    public Dead(long sequence, String error) {
      this(sequence, error, false);
    }
  }
}
