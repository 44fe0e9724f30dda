package io.inbox4j.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt, as it is kept in the history of its message.
 *
 * @param errorClass the class of the exception, or null if there was none: the process crashed
 * @param error what the exception and its causes say, in few lines and without stack trace
 * @param fingerprint the same for equal failures, whichever message, process or host they concern
 * @param took how long the handler ran, or null if that is not known
 * @param process the name of the process, or null if that is not known
 */
public record AttemptFailure(
    @Nullable String errorClass,
    String error,
    String fingerprint,
    @Nullable Duration took,
    @Nullable String process) {

  /** The fingerprint of all attempts that ended without an exception. */
  public static final String CRASH = "crash";

  /** What is known about an attempt during which the process died. */
  public static final String DIED = "the process died or was lost while it handled this message";

  /** An attempt that ended without an exception. */
  public static AttemptFailure crash(String error) {
    return new AttemptFailure(null, error, CRASH, null, null);
  }
}
