package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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

  boolean hasPidFile() {
    return Files.exists(dataDirectory.resolve("postmaster.pid"));
  }

  /** A new data directory beside this one. */
  PostgresFiles sibling(String prefix) {
    try {
      return new PostgresFiles(Files.createTempDirectory(dataDirectory.getParent(), prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a data directory", e);
    }
  }

  /** Copies a running server that is in backup mode, as one that listens to another port. */
  void copyTo(PostgresFiles copy, int port, int copyPort) {
    try (Stream<Path> files = Files.walk(dataDirectory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path relative = dataDirectory.relativize(file);
        Path target = copy.dataDirectory.resolve(relative.toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
          Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(file));
        } else if (!isLeftOut(relative)) {
          copyIfThere(file, target);
        }
      }
      Path options = copy.dataDirectory.resolve("postmaster.opts");
      Files.writeString(
          options,
          Files.readString(options)
              .replace(dataDirectory.toString(), copy.dataDirectory.toString())
              .replace("\"" + port + "\"", "\"" + copyPort + "\""));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy " + dataDirectory, e);
    }
  }

  /** The log comes over the wire, and a pid would be that of the other server. */
  private static boolean isLeftOut(Path relative) {
    return relative.startsWith("pg_wal")
        || relative.startsWith("pg_replslot")
        || relative.startsWith("pg_stat_tmp")
        || relative.endsWith("postmaster.pid");
  }

  private static void copyIfThere(Path file, Path target) throws IOException {
    try {
      Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
    } catch (NoSuchFileException e) {
      // dropped meanwhile; the log says so as well
    }
  }

  /** Makes it the data directory of a server that follows another one. */
  void follow(String backupLabel, int primaryPort, String user) {
    try {
      Files.writeString(dataDirectory.resolve("backup_label"), backupLabel);
      Files.writeString(dataDirectory.resolve("standby.signal"), "");
      Files.writeString(
          dataDirectory.resolve("postgresql.auto.conf"),
          "primary_conninfo = 'host=127.0.0.1 port=%d user=%s'%n".formatted(primaryPort, user));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write into " + dataDirectory, e);
    }
  }

  void delete() {
    if (!Files.exists(dataDirectory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(dataDirectory)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + dataDirectory, e);
    }
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
