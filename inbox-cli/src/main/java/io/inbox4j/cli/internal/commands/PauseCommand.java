package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.operations.Pause;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pauses the handling of an endpoint. */
@Command(
    name = "pause",
    mixinStandardHelpOptions = true,
    description =
        "Stops the handling of an endpoint's messages in all processes, until it is resumed. They"
            + " are still received.")
public final class PauseCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Parameters(paramLabel = "ENDPOINT", description = "the endpoint")
  private String endpoint = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      required = true,
      description = "why, for those who wonder")
  private String reason = "";

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "who does it; default is the user of this machine")
  private @Nullable String by;

  @Option(names = "--force", description = "even if nothing is known of the endpoint")
  private boolean force;

  @Override
  public Integer call() {
    String name = Objects.requireNonNullElse(by, System.getProperty("user.name", "unknown"));
    if (endpoint.isBlank() || name.isBlank()) {
      throw new UsageException("the endpoint and --by are blank or not there; expected names");
    }
    try (CommandDatabase database = CommandDatabase.open(options)) {
      if (!force) {
        requireKnown(database, endpoint);
      }
      Pause before = database.store.pauseOf(endpoint);
      database.store.pause(endpoint, name, reason);
      Pause now = database.store.pauseOf(endpoint);
      output.print(
          Output.object("endpoint", endpoint, "paused", true, "changed", before == null),
          before == null || now == null
              ? "%s is paused.".formatted(endpoint)
              : "%s is paused already, by %s since %s: %s"
                  .formatted(endpoint, now.by(), now.since(), now.reason()));
      return 0;
    }
  }

  /** Pausing an endpoint that does not exist would report success and stop nothing. */
  static void requireKnown(CommandDatabase database, String endpoint) {
    List<String> known = database.handle.inTransaction(EndpointQueries::all);
    if (!known.contains(endpoint)) {
      throw new UsageException(
          "nothing is known of the endpoint '%s'; known are: %s; --force does it all the same"
              .formatted(endpoint, known.isEmpty() ? "none" : String.join(", ", known)));
    }
  }
}
