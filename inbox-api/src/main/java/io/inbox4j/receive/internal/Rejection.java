package io.inbox4j.receive.internal;

import io.inbox4j.receive.QuarantineReason;

/**
 * Thrown by a check at the door, caught by {@link DeliveryCheck}.
 *
 * <p>Its detail shows names that the producer chose, and is logged: it is one line, whatever they
 * hold, and not longer than a person reads.
 */
final class Rejection extends Exception {

  private static final int MAX_LENGTH = 1_000;

  private final QuarantineReason reason;

  Rejection(QuarantineReason reason, String detail) {
    super(oneLine(detail), null, false, false);
    this.reason = reason;
  }

  QuarantineReason reason() {
    return reason;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  private static String oneLine(String text) {
    String cut = text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH - 1) + "…";
    if (cut.chars().noneMatch(Rejection::breaksLines)) {
      return cut;
    }
    StringBuilder line = new StringBuilder();
    cut.chars()
        .forEach(
            c -> {
              if (breaksLines(c)) {
                line.append(String.format("\\u%04x", c));
              } else {
                line.append((char) c);
              }
            });
    return line.toString();
  }

  /** Control characters, and those that end lines or turn the direction of writing. */
  private static boolean breaksLines(int c) {
    return Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || c == '\u2028'
        || c == '\u2029';
  }
}
