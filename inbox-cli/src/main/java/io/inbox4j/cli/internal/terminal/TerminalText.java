package io.inbox4j.cli.internal.terminal;

import io.inbox4j.internal.log.ForeignText;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Text for people, line by line. Whatever is put into a line stays in it and is only displayed:
 * producers choose names, errors and bodies, and must not be able to control the terminal.
 */
public final class TerminalText {

  private static final String FIELD = "%-26s %s";

  private final StringBuilder lines = new StringBuilder();

  /** A text of one line, as {@link #line} formats it. */
  public static TerminalText of(String format, @Nullable Object... args) {
    return new TerminalText().line(format, args);
  }

  /** Adds a line; without arguments it is used verbatim, with them as a format. */
  public TerminalText line(String format, @Nullable Object... args) {
    String own = ForeignText.oneLine(format);
    return append(
        args.length == 0
            ? own
            : own.formatted(Arrays.stream(args).map(TerminalText::shown).toArray()));
  }

  /** Adds a name and a value, whose further lines are aligned below its first. */
  public TerminalText field(String name, Object value) {
    Iterator<String> rest = ForeignText.lines(String.valueOf(value)).iterator();
    append(FIELD.formatted(name, rest.hasNext() ? rest.next() : "").stripTrailing());
    rest.forEachRemaining(line -> append(FIELD.formatted("", line)));
    return this;
  }

  /** Adds all lines of another text. */
  public TerminalText add(TerminalText other) {
    lines.append(other.lines);
    return this;
  }

  TerminalText append(String line) {
    lines.append(line).append(System.lineSeparator());
    return this;
  }

  /** Leaves numbers unchanged, so that they can be formatted. */
  private static @Nullable Object shown(@Nullable Object value) {
    return value == null || value instanceof Number ? value : Styled.of(value);
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}
