package io.inbox4j.worker.internal.terminal;

import io.inbox4j.internal.ForeignText;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What a command says to people, line by line. Whatever is put into a line stays in it and is only
 * shown: producers choose names, errors and bodies, and must not get at the terminal.
 */
public final class Text {

  private static final String FIELD = "%-26s %s";

  private final StringBuilder lines = new StringBuilder();

  /** A text of one line, as {@link #line} makes it. */
  public static Text of(String format, @Nullable Object... args) {
    return new Text().line(format, args);
  }

  /** A line; without arguments it is taken as it is, with them as a format. */
  public Text line(String format, @Nullable Object... args) {
    String own = ForeignText.oneLine(format);
    return append(
        args.length == 0 ? own : own.formatted(Arrays.stream(args).map(Text::shown).toArray()));
  }

  /** A name and a value, whose further lines are below its first. */
  public Text field(String name, Object value) {
    Iterator<String> rest = ForeignText.lines(String.valueOf(value)).iterator();
    append(FIELD.formatted(name, rest.hasNext() ? rest.next() : "").stripTrailing());
    rest.forEachRemaining(line -> append(FIELD.formatted("", line)));
    return this;
  }

  /** All lines of another text. */
  public Text add(Text other) {
    lines.append(other.lines);
    return this;
  }

  Text append(String line) {
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
