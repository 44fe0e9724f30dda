package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What a PostgreSQL server writes about itself into its data directory. */
record PostgresFiles(Path dataDirectory) {

  private static final Path SHARED_MEMORY = Path.of("/proc", "sysvipc", "shm");

  long postmasterPid() {
    return Long.parseLong(pidFile().get(0).strip());
  }

  void deletePidFile() {
    try {
      Files.delete(dataDirectory.resolve("postmaster.pid"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the pid file of a killed server", e);
    }
  }

  /** Waits until no process is attached to the shared memory of the server. */
  void awaitSharedMemoryReleased() {
    String[] keyAndId = pidFile().get(6).strip().split("\\s+", -1);
    await("nobody uses the shared memory " + keyAndId[1] + " of the killed server")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .atMost(Duration.ofSeconds(20))
        .until(() -> attached(keyAndId[1]) == 0);
  }

  private static int attached(String sharedMemoryId) {
    if (!Files.isReadable(SHARED_MEMORY)) {
      return 0;
    }
    // Columns: key shmid perms size cpid lpid nattch ...
    return lines(SHARED_MEMORY).stream()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(columns -> columns[1].equals(sharedMemoryId))
        .mapToInt(columns -> Integer.parseInt(columns[6]))
        .sum();
  }

  /** The command that starts the server with the options of its last start. */
  List<String> restartCommand(Duration timeout) {
    String lastStart = lines(dataDirectory.resolve("postmaster.opts")).get(0);
    Path postgres = Path.of(lastStart.substring(0, lastStart.indexOf(" \"")));
    return List.of(
        postgres.resolveSibling("pg_ctl").toString(),
        "-D",
        dataDirectory.toString(),
        "-l",
        dataDirectory.resolve("restart.log").toString(),
        "-m",
        "fast",
        "-w",
        "-t",
        Long.toString(timeout.toSeconds()),
        "restart");
  }

  private List<String> pidFile() {
    return lines(dataDirectory.resolve("postmaster.pid"));
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
