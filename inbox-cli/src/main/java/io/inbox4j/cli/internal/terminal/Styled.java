package io.inbox4j.cli.internal.terminal;

import io.inbox4j.internal.log.ForeignText;

/**
 * A text with a colour that does not count towards its width.
 *
 * @param code the sequence that switches the colour on; empty for none
 */
public record Styled(String code, String text) {

  private static final String END = "\u001b[0m";

  public Styled {
    text = ForeignText.oneLine(text);
  }

  /** Wraps any value for display: only text styled here has a colour. */
  static Styled of(Object value) {
    return value instanceof Styled styled ? styled : new Styled("", String.valueOf(value));
  }

  int width() {
    return text.length();
  }

  @Override
  public String toString() {
    return code.isEmpty() ? text : code + text + END;
  }
}
