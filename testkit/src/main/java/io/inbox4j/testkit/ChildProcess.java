package io.inbox4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Another JVM with the class path of this one, which a test can talk to, freeze and kill.
 *
 * <p>What it prints to standard output is kept line by line; what it prints to standard error is
 * part of the message when waiting for it fails. It never outlives the JVM that started it, unless
 * that one is killed itself.
 */
public final class ChildProcess implements AutoCloseable {

  private final String name;
  private final Process process;
  private final OsProcess os;
  private final Writer stdin;
  private final ProcessLines stdout;
  private final ProcessLines stderr;
  private final Thread killer;

  private ChildProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.os = new OsProcess(process.pid());
    this.stdin = process.outputWriter(StandardCharsets.UTF_8);
    this.stdout = ProcessLines.of(name, process.inputReader(StandardCharsets.UTF_8));
    this.stderr = ProcessLines.of(name, process.errorReader(StandardCharsets.UTF_8));
    this.killer = new Thread(process::destroyForcibly, "kill " + name);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /** Starts the {@code main} method of a class in a JVM of its own. */
  public static ChildProcess start(Class<?> main, String... args) {
    return start(List.of(), main, args);
  }

  /** Starts the {@code main} method of a class in a JVM that gets these options. */
  public static ChildProcess start(List<String> jvmOptions, Class<?> main, String... args) {
    return start(jvmOptions, Map.of(), main, args);
  }

  /** Starts the {@code main} method of a class in a JVM that gets these options and variables. */
  public static ChildProcess start(
      List<String> jvmOptions, Map<String, String> environment, Class<?> main, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      return new ChildProcess(main.getSimpleName(), builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + main.getName(), e);
    }
  }

  /** The id of the process. */
  public long pid() {
    return process.pid();
  }

  /** Whether the process has not ended yet; a frozen one is alive. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** What the process has printed to standard output so far. */
  public List<String> lines() {
    return stdout.all();
  }

  /** What the process has printed to standard error so far. */
  public List<String> errorLines() {
    return stderr.all();
  }

  /** Waits for a line of standard output with this prefix, from the first line on. */
  public String awaitLine(String prefix, Duration timeout) {
    return await("a line that starts with " + prefix, line -> line.startsWith(prefix), timeout);
  }

  /** Waits for a line of standard output that matches, from the first line on. */
  public String awaitLine(Predicate<String> condition, Duration timeout) {
    return await("a matching line", condition, timeout);
  }

  private String await(String what, Predicate<String> condition, Duration timeout) {
    return stdout
        .await(condition, timeout)
        .orElseThrow(() -> new AssertionError(describe("printed no " + what, timeout)));
  }

  /** Writes a line to the standard input of the process. */
  public void send(String line) {
    try {
      stdin.write(line + "\n");
      stdin.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + name, e);
    }
  }

  /** Kills the process as an operating system out of memory would, and waits until it is gone. */
  public void kill9() {
    process.destroyForcibly();
    exitCode(Duration.ofSeconds(20));
  }

  /** Freezes the process as a long pause would; returns once it runs no more. */
  public void stop() {
    os.freeze();
  }

  /** Lets a frozen process go on. */
  public void cont() {
    os.signal("CONT");
  }

  /** Asks the process to end, so that its shutdown hooks run; does not wait for it. */
  public void terminate() {
    os.signal("TERM");
  }

  /** Waits for the end of the process and returns its exit code; 137 after {@link #kill9()}. */
  public int exitCode(Duration timeout) {
    try {
      if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the end of " + name, e);
    }
    throw new AssertionError(describe("did not end", timeout));
  }

  /** Kills the process if it is still there. */
  @Override
  public void close() {
    kill9();
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      // The JVM is about to end: the hook runs, and finds nothing to do.
    }
  }

  private String describe(String problem, Duration timeout) {
    return "%s %s within %s%s\nstandard output:\n%s\nstandard error:\n%s"
        .formatted(
            name,
            problem,
            timeout,
            process.isAlive() ? "" : " and has ended with " + process.exitValue(),
            String.join("\n", lines()),
            String.join("\n", errorLines()));
  }
}
