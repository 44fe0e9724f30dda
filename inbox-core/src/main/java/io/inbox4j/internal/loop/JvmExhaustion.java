package io.inbox4j.internal.loop;

import io.inbox4j.internal.log.LoggedFailure;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes an exhausted JVM, above all one out of memory, from a failure of the code in which
 * the error occurred: other code may have used up the resource, and it may be available next time.
 */
public final class JvmExhaustion {

  private static final int MAX_CAUSES = 10;

  private JvmExhaustion() {}

  /**
   * The error in a failure or its causes, or null. A stack overflow does not count: it is caused by
   * the code that recurses too deeply, and would recur.
   */
  public static @Nullable VirtualMachineError in(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof VirtualMachineError error && !(error instanceof StackOverflowError)) {
        return error;
      }
      cause = LoggedFailure.causeOf(cause);
    }
    return null;
  }
}
