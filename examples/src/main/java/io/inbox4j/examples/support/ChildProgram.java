package io.inbox4j.examples.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM with this one's class path, which runs one program until it is stopped.
 *
 * <p>It does not outlive this JVM.
 */
public final class ChildProgram implements AutoCloseable {

  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Thread reader;
  private final Thread undertaker;

  private ChildProgram(Process process) {
    this.process = process;
    this.reader = new Thread(this::read, "output of " + process.pid());
    this.reader.setDaemon(true);
    this.reader.start();
    this.undertaker = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(undertaker);
  }

  /** Starts a program with arguments, and with additions to this JVM's environment. */
  public static ChildProgram start(
      Class<?> main, Map<String, String> environment, String... arguments) throws IOException {
    return start(main, List.of(), environment, arguments);
  }

  /** Starts a program with options for its JVM. */
  public static ChildProgram start(
      Class<?> main, List<String> options, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // quick to start
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new ChildProgram(builder.start());
  }

  private void read() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("(its output ended: " + e.getMessage() + ")");
    }
  }

  /** What it has printed so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it has printed a line that starts like this. */
  public void awaitLine(String prefix) throws Exception {
    Eventually.holds(
        "'%s' from process %d, which printed %s".formatted(prefix, pid(), lines),
        () -> {
          if (!isAlive()) {
            reader.join();
          }
          boolean printed = lines.stream().anyMatch(line -> line.startsWith(prefix));
          if (!printed && !isAlive()) {
            throw new IllegalStateException("process %d ended: %s".formatted(pid(), lines));
          }
          return printed;
        });
  }

  /** Waits for its end, and returns its exit code. */
  public int awaitEnd(Duration patience) throws InterruptedException {
    if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(
          "process %d did not end within %s; it printed %s".formatted(pid(), patience, lines));
    }
    reader.join();
    return process.exitValue();
  }

  /** Kills it at once, with SIGKILL: none of its code runs any more. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Asks it to end, with SIGTERM, and waits until it has. */
  public int stop() throws InterruptedException {
    process.destroy();
    return awaitEnd(Duration.ofSeconds(40));
  }

  /** Kills it if it is still there. */
  @Override
  public void close() throws InterruptedException {
    kill();
    try {
      Runtime.getRuntime().removeShutdownHook(undertaker);
    } catch (IllegalStateException e) {
      // This JVM is ending, and the hook runs: there is nothing left to do.
    }
  }
}
