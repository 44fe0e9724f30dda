package io.inbox4j.store;

import io.inbox4j.handler.Postpone;
import java.time.Duration;

/** What became of a claimed message. */
public sealed interface Outcome {

  /** The message. */
  long sequence();

  /** Its handler succeeded. */
  record Processed(long sequence) implements Outcome {}

  /**
   * Its handler failed, and another attempt is due after the delay.
   *
   * @param alone whether it is an orphan from now on that runs alone
   */
  record Retry(long sequence, Duration delay, String error, boolean alone) implements Outcome {

    /** One that may run with others. */
    public Retry(long sequence, Duration delay, String error) {
      this(sequence, delay, error, false);
    }
  }

  /** Its handler says that it is too early; no attempt is used up. */
  record Postponed(long sequence, Postpone.When when) implements Outcome {}

  /**
   * It was given up on.
   *
   * @param holdsKey whether later messages of its ordering key wait until it is replayed or
   *     discarded
   */
  record Dead(long sequence, String error, boolean holdsKey) implements Outcome {

    /** A death that nobody waits for. */
    public Dead(long sequence, String error) {
      this(sequence, error, false);
    }
  }
}
