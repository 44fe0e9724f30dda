package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of the operating system, known by its id.
 *
 * <p>A process that has ended counts as gone even while nobody has collected its exit code, which
 * is where {@link ProcessHandle#isAlive()} differs.
 */
record OsProcess(long pid) {

  private static final Duration SOON = Duration.ofSeconds(20);

  /** Sends a signal, by its name without SIG. */
  void signal(String name) {
    Command.output(new ProcessBuilder("kill", "-" + name, Long.toString(pid)), SOON);
  }

  /** Stops the process from being scheduled, and returns once it no longer is. */
  void freeze() {
    signal("STOP");
    await("process " + pid + " is stopped")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .atMost(SOON)
        .until(() -> state() != 'R' && state() != 'S' && state() != 'D');
  }

  boolean isRunning() {
    char state = state();
    return state != 'Z' && state != 'X';
  }

  /** Freezes the process and everything below it. */
  void freezeTree() {
    freeze();
    below().forEach(OsProcess::freeze);
  }

  /** Lets a frozen process and everything below it go on. */
  void continueTree() {
    below().forEach(process -> process.signal("CONT"));
    signal("CONT");
  }

  private List<OsProcess> below() {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .map(process -> new OsProcess(process.pid()))
        .filter(OsProcess::isRunning)
        .toList();
  }

  /** Kills the process and everything below it, and returns once all of them are gone. */
  void killTree() {
    ProcessHandle root = ProcessHandle.of(pid).orElse(null);
    if (root == null || !isRunning()) {
      return;
    }
    // A stopped process starts no more children, so that none is missed.
    freeze();
    List<ProcessHandle> tree = new ArrayList<>();
    tree.add(root);
    root.descendants().forEach(tree::add);
    tree.forEach(ProcessHandle::destroyForcibly);
    await("the processes " + tree + " are gone")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .atMost(SOON)
        .until(() -> tree.stream().noneMatch(p -> new OsProcess(p.pid()).isRunning()));
  }

  /** The state letter of the process table: R, S, D, T, Z, or X for a process that is gone. */
  private char state() {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    if (Files.isDirectory(Path.of("/proc", "self"))) {
      try {
        String line = Files.readString(stat);
        return line.charAt(line.lastIndexOf(')') + 2);
      } catch (IOException e) {
        return 'X';
      }
    }
    return ProcessHandle.of(pid).isPresent() ? 'T' : 'X';
  }
}
