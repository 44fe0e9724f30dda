package io.inbox4j.processor;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A failure as it is kept with its message: the reason, then the stack trace, cut. */
final class FailureText {

  static final int MAX_LENGTH = 4_000;

  private FailureText() {}

  static String of(String reason, Throwable failure) {
    StringWriter text = new StringWriter();
    text.append(reason).append(": ");
    failure.printStackTrace(new PrintWriter(text));
    return cut(text.toString());
  }

  static String of(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return cut(text.toString());
  }

  private static String cut(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH - 1) + "…";
  }
}
