package io.inbox4j.cli.internal.terminal;

import io.inbox4j.cli.internal.options.UsageException;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The terminal of a command: people get colours, progress and prompts, programs do not.
 *
 * <p>A JVM cannot tell which of its streams are a terminal. The script that starts it can, and
 * passes the numbers of those that are in the system property {@code inbox.terminal}, for example
 * {@code 012}.
 */
public final class Terminal {

  private static final String PROPERTY = "inbox.terminal";

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean colours;
  private final boolean showsProgress;
  private final boolean answers;

  private Terminal(
      PrintWriter out, PrintWriter err, boolean colours, boolean showsProgress, boolean answers) {
    this.out = out;
    this.err = err;
    this.colours = colours;
    this.showsProgress = showsProgress;
    this.answers = answers;
  }

  /** The terminal of a command. */
  public static Terminal of(CommandLine command) {
    return of(command, System.getenv());
  }

  private static Terminal of(CommandLine command, Map<String, String> environment) {
    String streams = System.getProperty(PROPERTY, isConsole(System.console()) ? "012" : "");
    boolean wanted = environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        command.getOut(),
        command.getErr(),
        wanted && streams.contains("1"),
        streams.contains("2"),
        streams.contains("0") && streams.contains("2"));
  }

  /** Up to Java 21 there is a console only on a terminal; since 22 there always is one. */
  private static boolean isConsole(@Nullable Console console) {
    return console != null && Runtime.version().feature() < 22;
  }

  boolean showsProgress() {
    return showsProgress;
  }

  public Styled red(String text) {
    return styled("\u001b[31m", text);
  }

  public Styled yellow(String text) {
    return styled("\u001b[33m", text);
  }

  public Styled green(String text) {
    return styled("\u001b[32m", text);
  }

  Styled bold(String text) {
    return styled("\u001b[1m", text);
  }

  private Styled styled(String code, String text) {
    return new Styled(colours ? code : "", text);
  }

  /** Prints text that a {@link TerminalText} or the JSON output has made safe. */
  void print(String text) {
    out.print(text);
    out.flush();
  }

  /** Prints progress to standard error. */
  void printProgress(String text) {
    err.print(text);
    err.flush();
  }

  /**
   * Prints a message that is not part of the result to standard error, as {@link TerminalText#line}
   * formats it.
   */
  public void say(String format, @Nullable Object... args) {
    printProgress(TerminalText.of(format, args).toString());
  }

  /**
   * Lets a destructive command continue only if that is confirmed: by {@code --yes} or at a prompt.
   *
   * @return whether to continue
   * @throws UsageException if neither is possible
   */
  public boolean confirms(boolean yes, String what) {
    if (yes) {
      return true;
    }
    if (!answers) {
      throw new UsageException(what + " cannot be undone; expected --yes, nothing was changed");
    }
    printProgress(Styled.of(what + ". This cannot be undone. Go on? [y/N] ").toString());
    boolean goesOn = answer().strip().matches("(?i)y|yes");
    if (!goesOn) {
      say("Nothing was changed.");
    }
    return goesOn;
  }

  private static String answer() {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    try {
      return Objects.requireNonNullElse(in.readLine(), "");
    } catch (IOException e) {
      return "";
    }
  }
}
