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
   * @param alone whether it is orphaned from now on and has to run alone
   */
  record Retry(long sequence, Duration delay, String error, boolean alone) implements Outcome {

    /** A retry that may share a batch with other messages. */
    public Retry(long sequence, Duration delay, String error) {
      this(sequence, delay, error, false);
    }
  }

  /** Its handler postponed it; no attempt is used up. */
  record Postponed(long sequence, Postpone.When when) implements Outcome {}

  /**
   * It is dead: no further attempt is made.
   *
   * @param holdsKey whether later messages of its ordering key wait until it is replayed or
   *     discarded
   */
  record Dead(long sequence, String error, boolean holdsKey) implements Outcome {

    /** A dead message that does not block its ordering key. */
    public Dead(long sequence, String error) {
      this(sequence, error, false);
    }
  }
}
