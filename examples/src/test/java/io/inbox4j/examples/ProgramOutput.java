package io.inbox4j.examples;

import io.inbox4j.examples.support.ChildProgram;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a program printed, and how it ended. */
public record ProgramOutput(int exitCode, List<String> lines) {

  /** Runs a program in a process of its own, to its end. */
  public static ProgramOutput of(Class<?> main, Map<String, String> environment, String... args)
      throws Exception {
    try (ChildProgram program = ChildProgram.start(main, environment, args)) {
      int exitCode = program.awaitEnd(Duration.ofMinutes(2));
      return new ProgramOutput(exitCode, program.lines());
    }
  }
}
