package io.inbox4j.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the program, as a process of its own or where a process would only take time. */
final class Cli {

  /** How a call ended, and what it printed. */
  record Result(int code, String out, String err) {

    JsonNode json() {
      return JsonMapper.shared().readTree(out);
    }
  }

  private static final List<String> JVM =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto");

  private Cli() {}

  static Result process(String... args) {
    return process(Map.of(), List.of(), args);
  }

  static Result process(Map<String, String> environment, List<String> jvm, String... args) {
    return process(environment, jvm, "", args);
  }

  /** With somebody at the terminal, who types this. */
  static Result answered(String typed, String... args) {
    return process(Map.of(), List.of("-Dinbox.terminal=012"), typed, args);
  }

  private static Result process(
      Map<String, String> environment, List<String> jvm, String typed, String... args) {
    List<String> program = new ArrayList<>(jvm);
    program.addAll(List.of("-cp", System.getProperty("java.class.path")));
    program.add(InboxCommand.class.getName());
    return run(environment, program, typed, args);
  }

  /** With everything on the module path, as modules. */
  static Result ofModules(String... args) {
    String path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !isOfTests(Path.of(entry)))
            .collect(Collectors.joining(File.pathSeparator));
    return run(
        Map.of(),
        List.of("-p", path, "-m", "io.inbox4j.cli/" + InboxCommand.class.getName()),
        "",
        args);
  }

  private static boolean isOfTests(Path entry) {
    boolean ofModule = entry.endsWith("target/classes");
    return (ofModule ? entry.getParent().getParent() : entry)
        .getFileName()
        .toString()
        .contains("test");
  }

  private static Result run(
      Map<String, String> environment, List<String> program, String typed, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM);
    command.addAll(program);
    command.addAll(List.of(args));
    Path out = null;
    Path err = null;
    try {
      out = Files.createTempFile("inbox-cli", ".out");
      err = Files.createTempFile("inbox-cli", ".err");
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(typed.getBytes(StandardCharsets.UTF_8));
      }
      if (!process.waitFor(90, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            "inbox %s did not end%n%s%n%s"
                .formatted(String.join(" ", args), Files.readString(out), Files.readString(err)));
      }
      return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      delete(out);
      delete(err);
    }
  }

  private static void delete(Path file) {
    try {
      if (file != null) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In this JVM, with somebody at the terminal, who can see but not type. */
  static Result atTerminal(String... args) {
    System.setProperty("inbox.terminal", "12");
    try {
      return here(args);
    } finally {
      System.clearProperty("inbox.terminal");
    }
  }

  /** In this JVM. */
  static Result here(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commands = InboxCommand.commandLine();
    commands.setOut(new PrintWriter(out));
    commands.setErr(new PrintWriter(err));
    int code = InboxCommand.execute(commands, args);
    return new Result(code, out.toString(), err.toString());
  }
}
