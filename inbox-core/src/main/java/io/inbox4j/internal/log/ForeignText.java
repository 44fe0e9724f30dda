package io.inbox4j.internal.log;

import java.util.List;

/**
 * Escapes untrusted text, such as that of a producer, a peer or an operator, so that it is safe to
 * show in a terminal or a log.
 *
 * <p>Characters that would control a terminal, end a line or change the writing direction are shown
 * as {@code \}{@code u001b}, the way JSON writes it; so a JSON document stays the same document.
 */
public final class ForeignText {

  private ForeignText() {}

  /** The text in one line. */
  public static String oneLine(String text) {
    return escape(text, false);
  }

  /** The text in its own lines; tabs stay as they are. */
  public static List<String> lines(String text) {
    return text.lines().map(line -> escape(line, true)).toList();
  }

  private static String escape(String text, boolean tabs) {
    if (text.codePoints().noneMatch(c -> acts(c, tabs))) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(c -> append(plain, c, acts(c, tabs)));
    return plain.toString();
  }

  private static void append(StringBuilder plain, int c, boolean escaped) {
    if (!escaped) {
      plain.appendCodePoint(c);
      return;
    }
    for (char unit : Character.toChars(c)) {
      plain.append(String.format("\\u%04x", (int) unit));
    }
  }

  private static boolean acts(int c, boolean tabs) {
    return switch (Character.getType(c)) {
      case Character.CONTROL -> !(tabs && c == '\t');
      case Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }
}
