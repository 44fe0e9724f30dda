package io.inbox4j.operations;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt to handle a message.
 *
 * @param number its position among all failed attempts of the message, starting at 1; those in the
 *     middle of a long history are not kept
 * @param attempt the number of the attempt, which starts again at 1 when the message is replayed
 * @param at when it failed; for a crash, when that was noticed
 * @param took how long the handler ran, or null if that is not known
 * @param process the name of the process, or null if it died
 * @param errorClass the class of the exception, or null if the process died
 * @param error what the exception and its causes say, without stack trace
 * @param fingerprint the same for equal failures: a hash of the exception classes and the topmost
 *     frames of the application, without line numbers
 */
public record FailedAttempt(
    int number,
    int attempt,
    Instant at,
    @Nullable Duration took,
    @Nullable String process,
    @Nullable String errorClass,
    String error,
    String fingerprint) {

  /** How many of the first failed attempts of a message are kept. */
  public static final int FIRST_KEPT = 5;

  /** How many of the last failed attempts of a message are kept, besides the first ones. */
  public static final int LAST_KEPT = 15;
}
