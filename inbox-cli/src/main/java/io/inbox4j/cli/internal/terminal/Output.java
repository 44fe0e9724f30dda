package io.inbox4j.cli.internal.terminal;

import io.inbox4j.internal.log.ForeignText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Prints the results of a command: for people, or for programs with {@code --json}. */
public final class Output {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Option(names = "--json", description = "print JSON, for programs")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  public boolean isJson() {
    return json;
  }

  public Terminal terminal() {
    if (command == null) {
      throw new IllegalStateException("not used as a " + Mixin.class.getSimpleName());
    }
    return Terminal.of(command.commandLine());
  }

  /** Prints a value as JSON, or a line, as {@link TerminalText#line} formats it. */
  public void print(Object value, String format, @Nullable Object... args) {
    print(value, TerminalText.of(format, args));
  }

  /** Prints a value as JSON, or a text. */
  public void print(Object value, TerminalText text) {
    terminal().print(json ? json(value) + System.lineSeparator() : text.toString());
  }

  /** Escapes what a terminal would interpret, which makes no difference to a JSON parser. */
  public static String json(Object value) {
    return ForeignText.oneLine(JSON.writeValueAsString(value));
  }

  /**
   * Creates a JSON object from alternating names and values; times as text, durations as seconds.
   */
  public static Map<String, @Nullable Object> object(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put(String.valueOf(namesAndValues[i]), plain(namesAndValues[i + 1]));
    }
    return object;
  }

  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Duration duration) {
      return duration.toMillis() / 1000.0;
    }
    return value instanceof Instant instant ? instant.toString() : value;
  }
}
