package io.inbox4j.cli.internal.options;

import io.inbox4j.internal.DurationRange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the worker. */
public final class WorkerOptions {

  private static final DurationRange CLOSE_DEADLINES = DurationRange.upTo(Duration.ofDays(1));

  /** The role of a process. */
  public enum Role {
    RECEIVE,
    PROCESS,
    PUBLISH,
    ALL;

    public boolean receives() {
      return this == RECEIVE || this == ALL;
    }

    public boolean processes() {
      return this == PROCESS || this == ALL;
    }

    public boolean publishes() {
      return this == PUBLISH || this == ALL;
    }

    /** The name as written on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      defaultValue = "all",
      description = "receive, process, publish, or all (the default)")
  private Role role = Role.ALL;

  @Option(
      names = "--pool-size",
      paramLabel = "N",
      defaultValue = "20",
      description = "connections to the database at most; default ${DEFAULT-VALUE}")
  private int poolSize;

  @Option(
      names = "--notifications-url",
      paramLabel = "URL",
      description =
          "the database without a pooler between, where that of --database-url shares sessions"
              + " (PgBouncer in transaction mode): what other processes store is heard there")
  private @Nullable String notificationsUrl;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "where health and metrics are served; default ${DEFAULT-VALUE}, 0 is any free")
  private int httpPort;

  @Option(
      names = "--http-address",
      paramLabel = "ADDRESS",
      defaultValue = "localhost",
      description =
          "the address of this machine that they are served on; default ${DEFAULT-VALUE}, where"
              + " only this machine gets them; 0.0.0.0 is all addresses")
  private String httpAddress = "localhost";

  @Option(
      names = "--http-details",
      paramLabel = "true|false",
      arity = "1",
      defaultValue = "false",
      description =
          "whether health says what was seen of each part, which may quote the database or the"
              + " broker; default ${DEFAULT-VALUE}")
  private boolean httpDetails;

  @Option(
      names = "--close-deadline",
      paramLabel = "TIME",
      description = "how long work in flight may take to finish; default 30s")
  private @Nullable Duration closeDeadline;

  @Option(
      names = "--migrate",
      paramLabel = "true|false",
      arity = "1",
      defaultValue = "true",
      description = "whether missing tables are created at the start; default ${DEFAULT-VALUE}")
  private boolean migrate;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "INFO",
      description = "ERROR, WARN, INFO or DEBUG; default ${DEFAULT-VALUE}")
  private LogLevel logLevel = LogLevel.INFO;

  /** The log level. */
  public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  public Role role() {
    return role;
  }

  /**
   * The URL to listen for notifications on, with user and password: must not be shown; null to use
   * the database's.
   */
  public @Nullable String notificationsUrl(DatabaseOptions database) {
    return notificationsUrl == null
        ? null
        : database.withCredentials(
            DatabaseOptions.checked("--notifications-url", notificationsUrl));
  }

  public int poolSize() {
    return inRange("--pool-size", poolSize, 2, 10_000);
  }

  /** The address on which health and metrics are served. */
  public InetSocketAddress httpAddress() {
    int port = inRange("--http-port", httpPort, 0, 65_535);
    try {
      return new InetSocketAddress(InetAddress.getByName(httpAddress), port);
    } catch (UnknownHostException e) {
      throw new UsageException(
          "--http-address is '%s'; expected an address of this machine, for example 127.0.0.1, or"
                  .formatted(httpAddress)
              + " 0.0.0.0 for all of them");
    }
  }

  public boolean showsHttpDetails() {
    return httpDetails;
  }

  public @Nullable Duration closeDeadline() {
    try {
      return closeDeadline == null
          ? null
          : CLOSE_DEADLINES.check("--close-deadline", closeDeadline);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  public boolean migrates() {
    return migrate;
  }

  public LogLevel logLevel() {
    return logLevel;
  }

  private static int inRange(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new UsageException("%s is %d; expected %d to %d".formatted(option, value, least, most));
    }
    return value;
  }
}
