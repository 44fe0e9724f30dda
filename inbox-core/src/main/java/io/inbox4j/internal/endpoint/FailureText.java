package io.inbox4j.internal.endpoint;

import io.inbox4j.error.InboxException;
import io.inbox4j.internal.log.LoggedFailure;
import io.inbox4j.store.StoreUnavailableException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;

/**
 * The text of a failure that is stored with its message: the reason, the failure and its causes,
 * then the stack trace, truncated.
 */
public final class FailureText {

  static final int MAX_LENGTH = 4_000;
  static final int MAX_SUMMARY_LENGTH = 1_000;
  private static final int MAX_CAUSES = 10;
  private static final int MAX_LOOKS = 100;

  private FailureText() {}

  /** The failure, or a substitute if even asking for its causes throws. */
  public static Throwable readable(Throwable failure) {
    try {
      Throwable cause = failure;
      for (int i = 0; cause != null && i < MAX_LOOKS; i++) {
        cause = cause.getCause();
      }
      return failure;
    } catch (Throwable e) {
      InboxException instead =
          new InboxException(failure.getClass().getName() + ", whose causes cannot be had");
      instead.setStackTrace(failure.getStackTrace());
      return instead;
    }
  }

  static String of(String reason, Throwable failure) {
    return cut(reason + ": " + show(failure), MAX_LENGTH);
  }

  static String of(Throwable failure) {
    return cut(show(failure), MAX_LENGTH);
  }

  /**
   * The text for the log: a store failure describes itself, all others are described by class only.
   */
  public static String logged(Throwable failure) {
    return failure instanceof StoreUnavailableException
        ? failure.toString()
        : LoggedFailure.kind(failure);
  }

  /** The failure in one line, even if its message cannot be read. */
  private static String summary(Throwable failure) {
    try {
      return Objects.requireNonNull(failure.toString());
    } catch (Throwable e) { // from an exception class of a handler, say
      return failure.getClass().getName() + ", whose message cannot be had";
    }
  }

  /** The failure and its causes, a line each, truncated, without stack trace. */
  static String summaryOf(Throwable failure) {
    return cut(chain(failure).strip(), MAX_SUMMARY_LENGTH);
  }

  private static String show(Throwable failure) {
    return chain(failure) + trace(failure);
  }

  private static String chain(Throwable failure) {
    StringBuilder text = new StringBuilder(summary(failure)).append('\n');
    Throwable cause = LoggedFailure.causeOf(failure);
    for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = LoggedFailure.causeOf(cause)) {
      text.append("because of ").append(summary(cause)).append('\n');
    }
    return text.toString();
  }

  private static String trace(Throwable failure) {
    try {
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      return text.toString();
    } catch (Throwable e) {
      return "its stack trace cannot be had";
    }
  }

  private static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max - 1) + "…";
  }
}
