package io.inbox4j.testkit;

import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL of this JVM's own, which a test can kill and restart.
 *
 * <ul>
 *   <li>Commits are durable: {@code fsync}, {@code full_page_writes} and {@code synchronous_commit}
 *       are on.
 *   <li>{@code max_connections} is 200.
 *   <li>The port and the data stay the same over a restart.
 * </ul>
 *
 * <p>It ends with {@link #close()} or with the JVM, whichever comes first.
 */
public final class PostgresServer implements AutoCloseable {

  private static final String USER = "postgres";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  private final Closeable embedded;
  private final PostgresFiles files;
  private final int port;
  private final boolean reusesConnections;
  private final AtomicInteger databases = new AtomicInteger();
  private boolean killed;
  private boolean closed;

  private PostgresServer(
      Closeable embedded, PostgresFiles files, int port, boolean reusesConnections) {
    this.embedded = embedded;
    this.files = files;
    this.port = port;
    this.reusesConnections = reusesConnections;
  }

  /** Starts a new server with an empty data directory; the caller closes it. */
  public static PostgresServer start() {
    return startIn(Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** Starts a new server with an empty data directory in this folder; the caller closes it. */
  public static PostgresServer startIn(Path folder) {
    return startIn(folder, false);
  }

  private static PostgresServer startIn(Path folder, boolean reusesConnections) {
    try {
      Path data = Files.createTempDirectory(folder, "inbox-postgres");
      int port = FreePort.choose();
      EmbeddedPostgres postgres =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setPort(port)
              .setPGStartupWait(START_TIMEOUT)
              .setLocaleConfig("locale", "C")
              // The builder's own defaults give up durability for speed.
              .setServerConfig("fsync", "on")
              .setServerConfig("full_page_writes", "on")
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("max_connections", "200")
              // The lock file of a socket would outlive a kill.
              .setServerConfig("unix_socket_directories", "''")
              .start();
      return new PostgresServer(postgres, new PostgresFiles(data), port, reusesConnections);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start PostgreSQL", e);
    }
  }

  /**
   * The one server that the tests of this JVM share; it ends with the JVM. Its files are in memory
   * where there is room: tests kill processes, not machines.
   */
  public static PostgresServer shared() {
    return Shared.SERVER;
  }

  /** The JDBC url, user included, of the database that every server has. */
  public String jdbcUrl() {
    return jdbcUrl("postgres");
  }

  /** A data source for {@link #jdbcUrl()}, as {@link #dataSource(String)} has it. */
  public DataSource dataSource() {
    return dataSource(jdbcUrl());
  }

  /**
   * A data source for a url of this server that opens a new connection on every call; that of the
   * {@link #shared()} server reuses closed ones.
   */
  public DataSource dataSource(String jdbcUrl) {
    if (reusesConnections) {
      return new ReusedConnections(jdbcUrl);
    }
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(jdbcUrl);
    return dataSource;
  }

  /** Creates an empty database that no other test uses, and returns its JDBC url. */
  public String newDatabase() {
    String name = "test_" + databases.incrementAndGet();
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot create the database " + name, e);
    }
    return jdbcUrl(name);
  }

  private String jdbcUrl(String database) {
    return "jdbc:postgresql://localhost:%d/%s?user=%s".formatted(port, database, USER);
  }

  /** The port, which stays the same over a restart. */
  public int port() {
    return port;
  }

  /** The process id of the postmaster. */
  public synchronized long pid() {
    if (killed || closed) {
      throw new IllegalStateException("the server is " + (closed ? "closed" : "killed"));
    }
    return files.postmasterPid();
  }

  /** Kills the server and its backends at once, as a power failure of the database would. */
  public synchronized void kill9() {
    new OsProcess(pid()).killTree();
    files.awaitSharedMemoryReleased();
    // Whoever collects ended processes may be late, and PostgreSQL would take the old one for
    // alive. It is known to be gone.
    files.deletePidFile();
    killed = true;
  }

  /** Freezes the server and its backends: connections stay open, and nothing answers. */
  public synchronized void freeze() {
    new OsProcess(pid()).freezeTree();
  }

  /** Lets a frozen server go on. */
  public synchronized void unfreeze() {
    new OsProcess(pid()).continueTree();
  }

  /** Starts a killed server again, or stops and starts a running one, on its data and port. */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("the server is closed");
    }
    List<String> command = new ArrayList<>();
    if (LinuxUtils.isUnshareAvailable()) {
      // PostgreSQL refuses to run as root.
      command.addAll(List.of("unshare", "-U"));
    }
    command.addAll(files.restartCommand(START_TIMEOUT));
    Command.output(new ProcessBuilder(command), START_TIMEOUT.plusSeconds(10));
    killed = false;
  }

  /**
   * Starts another server that follows this one, synchronously: from now on a commit is answered
   * when both have it. The caller closes it.
   */
  public PostgresServer startStandby() {
    int standbyPort = FreePort.choose();
    PostgresFiles copy = files.sibling("inbox-standby");
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET wal_keep_size = '4GB'");
      statement.execute("SELECT pg_reload_conf()");
      boolean old = connection.getMetaData().getDatabaseMajorVersion() < 15;
      statement.execute(
          old
              ? "SELECT pg_start_backup('standby', true, false)"
              : "SELECT pg_backup_start('standby', true)");
      files.copyTo(copy, port, standbyPort);
      try (ResultSet stopped =
          statement.executeQuery(
              old
                  ? "SELECT labelfile FROM pg_stop_backup(false)"
                  : "SELECT labelfile FROM pg_backup_stop(false)")) {
        stopped.next();
        copy.follow(stopped.getString(1), port, USER);
      }
      PostgresServer standby = new PostgresServer(() -> {}, copy, standbyPort, false);
      standby.restart();
      statement.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
      statement.execute("SELECT pg_reload_conf()");
      awaitTrue(
          "the standby is synchronous",
          statement,
          "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'");
      // That is what this session has read. Commits wait for the standby when the checkpointer has
      // read it too, which it does before it begins what it is asked for.
      statement.execute("CHECKPOINT");
      // This one waits, and comes after all that did not.
      statement.execute("SELECT pg_logical_emit_message(true, 'standby', 'is synchronous')");
      return standby;
    } catch (SQLException e) {
      throw new IllegalStateException("cannot start a standby", e);
    }
  }

  /** Makes a standby whose primary is gone the primary. */
  public void promote() {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_promote()");
      awaitTrue("the standby is promoted", statement, "SELECT NOT pg_is_in_recovery()");
    } catch (SQLException e) {
      throw new IllegalStateException("cannot promote the standby", e);
    }
  }

  private static void awaitTrue(String what, Statement statement, String query) {
    await(what)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50))
        .atMost(START_TIMEOUT)
        .until(
            () -> {
              try (ResultSet rows = statement.executeQuery(query)) {
                return rows.next() && rows.getBoolean(1);
              }
            });
  }

  /** Whether it runs; a server that ran out of disk space may have ended by itself. */
  public synchronized boolean isRunning() {
    return !killed && !closed && files.hasPidFile() && new OsProcess(pid()).isRunning();
  }

  /** Stops the server and deletes its data. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (!isRunning()) {
      // Only PostgreSQL itself removes the shared memory that a killed server leaves behind.
      restart();
    }
    OsProcess postmaster = new OsProcess(pid());
    closed = true;
    try {
      embedded.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot stop PostgreSQL", e);
    } finally {
      postmaster.killTree();
      files.delete();
    }
  }

  private static final class Shared {
    // The embedded server brings a shutdown hook of its own.
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 2L << 30;

    static final PostgresServer SERVER = startIn(folder(), true);

    private static Path folder() {
      return Files.isWritable(MEMORY) && MEMORY.toFile().getUsableSpace() > ROOM
          ? MEMORY
          : Path.of(System.getProperty("java.io.tmpdir"));
    }
  }
}
