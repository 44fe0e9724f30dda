package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PgBouncer in front of a PostgreSQL on loopback. In transaction mode, which is meant where
 * nothing else is said, every transaction may get another session of the server.
 */
public final class PgBouncer implements AutoCloseable {

  /** How many sessions of the server its clients share. */
  public static final int SESSIONS = 70;

  private static final String NOBODY = "65534";
  private static final Duration SOON = Duration.ofSeconds(30);

  private final Path folder;
  private final int port;
  private final Process process;

  private PgBouncer(Path folder, int port, Process process) {
    this.folder = folder;
    this.port = port;
    this.process = process;
  }

  /** Whether the machine has one. */
  public static boolean isPossible() {
    return program().isPresent();
  }

  private static Optional<Path> program() {
    return Stream.of("/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one in front of the server on this port; the caller closes it. */
  public static PgBouncer start(int postgresPort) {
    return start(postgresPort, "transaction");
  }

  /** The same, with a session of the server for every connection as long as that lasts. */
  public static PgBouncer startInSessionMode(int postgresPort) {
    return start(postgresPort, "session");
  }

  private static PgBouncer start(int postgresPort, String mode) {
    Path program =
        program().orElseThrow(() -> new IllegalStateException("there is no pgbouncer here"));
    try {
      Path folder = Files.createTempDirectory("inbox-pgbouncer");
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      int port = FreePort.choose();
      Path configuration = folder.resolve("pgbouncer.ini");
      Files.writeString(configuration, configuration(port, postgresPort, mode));
      List<String> command = new ArrayList<>(unprivileged());
      command.addAll(List.of(program.toString(), configuration.toString()));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      PgBouncer bouncer = new PgBouncer(folder, port, process);
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill PgBouncer"));
      bouncer.awaitStart();
      return bouncer;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start PgBouncer", e);
    }
  }

  private static String configuration(int port, int postgresPort, String mode) {
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = %s
        default_pool_size = %d
        max_client_conn = 500
        ignore_startup_parameters = extra_float_digits
        """
        .formatted(postgresPort, port, mode, SESSIONS);
  }

  /** It refuses to run as root. */
  private static List<String> unprivileged() {
    return "root".equals(System.getProperty("user.name"))
        ? List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups")
        : List.of();
  }

  private void awaitStart() throws IOException {
    await("PgBouncer answers")
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(20))
        .atMost(SOON)
        .until(() -> !process.isAlive() || answers());
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "pgbouncer has ended: " + Files.readString(folder.resolve("log")));
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** The port that clients connect to. */
  public int port() {
    return port;
  }

  /**
   * The same database by way of this one. Named statements are left out: before its version 1.21
   * PgBouncer does not know which session has which.
   */
  public String jdbcUrl(String directUrl) {
    return directUrl.replaceFirst("//[^/]*/", "//127.0.0.1:" + port + "/") + "&prepareThreshold=0";
  }

  /** Ends it, and with it all connections. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS);
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + folder, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while PgBouncer ends", e);
    }
  }
}
