package io.inbox4j.internal.log;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The loggable form of a failure of code that is not ours, such as a handler: it has the classes
 * and stack frames of the failure and its causes, and their identifiers. The message of an
 * exception may contain payload, so it is omitted unless requested.
 *
 * <p>It can always be logged, even if the failure itself throws when asked for its message or
 * cause.
 */
public final class LoggedFailure extends Exception {

  private static final int MAX_CAUSES = 10;
  private static final int MAX_FRAMES = 100;
  private static final int MAX_TEXT = 1_000;
  private static final Pattern OF_THE_PLATFORM = Pattern.compile("(java|javax|jdk|sun)\\..*");

  private final @Nullable LoggedFailure cause;

  private LoggedFailure(
      String description, @Nullable LoggedFailure cause, StackTraceElement[] frames) {
    super(description, cause, false, true);
    this.cause = cause;
    setStackTrace(frames);
  }

  /** The failure without its message. */
  public static LoggedFailure of(Throwable failure) {
    return of(failure, it -> "");
  }

  /** The failure without its message, in one line: classes, and where it was thrown. */
  public static String summary(Throwable failure) {
    LoggedFailure logged = of(failure);
    StackTraceElement where = logged.where();
    return where == null ? logged.chain() : logged.chain() + " at " + where;
  }

  /** The failure without its message, in one line: the classes of it and its causes. */
  public static String kind(Throwable failure) {
    return of(failure).chain();
  }

  /**
   * @param names the identifiers in a failure
   */
  static LoggedFailure of(Throwable failure, Function<Throwable, String> names) {
    return of(failure, it -> described(it, names), MAX_CAUSES);
  }

  /** The failure with its message. */
  static LoggedFailure withText(Throwable failure) {
    return of(failure, LoggedFailure::spoken, MAX_CAUSES);
  }

  private static LoggedFailure of(
      Throwable failure, Function<Throwable, String> describe, int causes) {
    Throwable cause = causes == 0 ? null : causeOf(failure);
    return new LoggedFailure(
        describe.apply(failure),
        cause == null ? null : of(cause, describe, causes - 1),
        framesOf(failure));
  }

  /** The cause of a failure, or null also if it cannot be asked for it. */
  public static @Nullable Throwable causeOf(Throwable failure) {
    try {
      return failure.getCause();
    } catch (Throwable e) { // from an exception class that is not ours
      return null;
    }
  }

  private static StackTraceElement[] framesOf(Throwable failure) {
    try {
      return Arrays.stream(failure.getStackTrace())
          .filter(Objects::nonNull)
          .limit(MAX_FRAMES)
          .toArray(StackTraceElement[]::new);
    } catch (Throwable e) {
      return new StackTraceElement[0];
    }
  }

  private static String described(Throwable failure, Function<Throwable, String> names) {
    String type = failure.getClass().getName();
    try {
      String known = names.apply(failure);
      return known.isEmpty() ? type : "%s (%s)".formatted(type, ForeignText.oneLine(known));
    } catch (Throwable e) {
      return type;
    }
  }

  private static String spoken(Throwable failure) {
    try {
      String text = failure.toString();
      return ForeignText.oneLine(
          text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…");
    } catch (Throwable e) {
      return failure.getClass().getName() + ", whose message cannot be had";
    }
  }

  /** All causes in one line. */
  String chain() {
    return cause == null ? description() : description() + " because of " + cause.chain();
  }

  private String description() {
    return String.valueOf(getMessage());
  }

  /** Where the root cause was thrown, or where the library that threw it was called. */
  private @Nullable StackTraceElement where() {
    if (cause != null) {
      return cause.where();
    }
    StackTraceElement[] frames = getStackTrace();
    return Arrays.stream(frames)
        .filter(frame -> !OF_THE_PLATFORM.matcher(frame.getClassName()).matches())
        .findFirst()
        .orElse(frames.length == 0 ? null : frames[0]);
  }
}
