package io.inbox4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildProcessTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(300);

  @Test
  void aChildGetsItsArgumentsOptionsAndInput() {
    try (ChildProcess child = ChildProcess.start(List.of("-Dmood=good"), Echo.class, "a", "b c")) {
      assertThat(child.awaitLine("args", LONG)).isEqualTo("args [a, b c] good");
      child.send("grüße");
      assertThat(child.awaitLine(line -> line.startsWith("echo"), LONG)).startsWith("echo gr");
      child.send("exit 42");
      assertThat(child.exitCode(LONG)).isEqualTo(42);
      assertThat(child.awaitLine("bye", LONG)).isEqualTo("bye");
      assertThat(child.lines()).hasSize(3);
    }
  }

  @Test
  void aFrozenChildAnswersOnlyAfterItMayGoOn() {
    try (ChildProcess child = ChildProcess.start(Echo.class)) {
      child.awaitLine("args", LONG);
      child.stop();
      child.send("hello");
      assertThatThrownBy(() -> child.awaitLine("echo hello", SHORT))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("echo hello");
      assertThat(child.isAlive()).isTrue();
      child.cont();
      assertThat(child.awaitLine("echo hello", LONG)).isEqualTo("echo hello");
    }
  }

  @Test
  void aKilledChildRunsNoShutdownHook() {
    try (ChildProcess child = ChildProcess.start(Echo.class)) {
      child.awaitLine("args", LONG);
      child.kill9();
      assertThat(child.exitCode(LONG)).isEqualTo(137);
      assertThatThrownBy(() -> child.awaitLine("bye", LONG)).hasMessageContaining("137");
    }
  }

  @Test
  void aTerminatedChildRunsItsShutdownHook() {
    try (ChildProcess child = ChildProcess.start(Echo.class)) {
      child.awaitLine("args", LONG);
      child.terminate();
      assertThat(child.exitCode(LONG)).isEqualTo(143);
      assertThat(child.awaitLine("bye", LONG)).isEqualTo("bye");
    }
  }

  @Test
  void aFailedWaitShowsWhatTheChildSaid() {
    try (ChildProcess child = ChildProcess.start(Echo.class, "said")) {
      child.awaitLine("args", LONG);
      child.send("exit 5");
      assertThatThrownBy(() -> child.awaitLine("never", LONG))
          .hasMessageContaining("never")
          .hasMessageContaining("args [said]")
          .hasMessageContaining("a complaint");
    }
  }

  @Test
  void aClosedChildIsGoneEvenIfItWasFrozen() {
    ChildProcess child = ChildProcess.start(Echo.class);
    child.awaitLine("args", LONG);
    child.stop();
    child.close();
    assertThat(child.isAlive()).isFalse();
  }
}
