package io.inbox4j.cli.internal.terminal;

import io.inbox4j.internal.log.ForeignText;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What a command says to people, line by line. Whatever is put into a line stays in it and is only
 * shown: producers choose names, errors and bodies, and must not get at the terminal.
 */
public final class TerminalText {

  private static final String FIELD = "%-26s %s";

  private final StringBuilder lines = new StringBuilder();

  /** A text of one line, as {@link #line} makes it. */
  public static TerminalText of(String format, @Nullable Object... args) {
    return new TerminalText().line(format, args);
  }

  /** A line; without arguments it is taken as it is, with them as a format. */
  public TerminalText line(String format, @Nullable Object... args) {
    String own = ForeignText.oneLine(format);
    return append(
        args.length == 0
            ? own
            : own.formatted(Arrays.stream(args).map(TerminalText::shown).toArray()));
  }

  /** A name and a value, whose further lines are below its first. */
  public TerminalText field(String name, Object value) {
    Iterator<String> rest = ForeignText.lines(String.valueOf(value)).iterator();
    append(FIELD.formatted(name, rest.hasNext() ? rest.next() : "").stripTrailing());
    rest.forEachRemaining(line -> append(FIELD.formatted("", line)));
    return this;
  }

  /** All lines of another text. */
  public TerminalText add(TerminalText other) {
    lines.append(other.lines);
    return this;
  }

  TerminalText append(String line) {
    lines.append(line).append(System.lineSeparator());
    return this;
  }

  /** Numbers as they are, for the format's sake. */
  private static @Nullable Object shown(@Nullable Object value) {
    return value == null || value instanceof Number ? value : Styled.of(value);
  }

  @Override
  public String toString() {
    return lines.toString();
  }
}
