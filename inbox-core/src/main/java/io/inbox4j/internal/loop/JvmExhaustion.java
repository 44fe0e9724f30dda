package io.inbox4j.internal.loop;

import org.jspecify.annotations.Nullable;

/**
 * Tells a JVM that has run out of something, of memory above all, from a failure of the code that
 * this has struck: who else had some may have been the reason, and there may be some next time.
 */
public final class JvmExhaustion {

  private static final int MAX_CAUSES = 10;

  private JvmExhaustion() {}

  /**
   * The error in a failure or its causes, or null. A stack that overflows is none: that is the
   * fault of who calls too deeply, and would be the same next time.
   */
  public static @Nullable VirtualMachineError in(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof VirtualMachineError error && !(error instanceof StackOverflowError)) {
        return error;
      }
      cause = causeOf(cause);
    }
    return null;
  }

  private static @Nullable Throwable causeOf(Throwable failure) {
    try {
      return failure.getCause();
    } catch (Throwable e) { // of a class of exceptions that is not ours
      return null;
    }
  }
}
