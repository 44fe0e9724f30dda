package io.inbox4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A short command of the operating system, run to its end.
 *
 * <p>Its output goes through files: a daemon that inherits a pipe would hold it open forever.
 */
final class Command {

  private Command() {}

  /** Runs the command and returns what it printed; fails with what it complained about. */
  static String output(ProcessBuilder builder, Duration timeout) {
    return output(builder, "", timeout);
  }

  /** Runs the command with this as its input. */
  static String output(ProcessBuilder builder, String input, Duration timeout) {
    try {
      Path out = Files.createTempFile("command", ".out");
      Path err = Files.createTempFile("command", ".err");
      try {
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        String name = String.join(" ", builder.command());
        Process process = builder.start();
        try (Writer toProcess = process.outputWriter()) {
          toProcess.write(input);
        }
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
          process.destroyForcibly();
          throw new IllegalStateException(
              name + " did not end within " + timeout + ": " + text(out, err));
        }
        if (process.exitValue() != 0) {
          throw new IllegalStateException(
              name + " ended with " + process.exitValue() + ": " + text(err, out));
        }
        return Files.readString(out);
      } finally {
        Files.delete(out);
        Files.delete(err);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + builder.command(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while running " + builder.command(), e);
    }
  }

  private static String text(Path first, Path second) throws IOException {
    return (Files.readString(first) + "\n" + Files.readString(second)).strip();
  }
}
