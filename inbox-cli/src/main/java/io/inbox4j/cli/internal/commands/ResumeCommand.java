package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.operations.Pause;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Resumes the handling of an endpoint. */
@Command(
    name = "resume",
    mixinStandardHelpOptions = true,
    description = "Lets the messages of a paused endpoint be handled again.")
public final class ResumeCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Parameters(paramLabel = "ENDPOINT", description = "the endpoint")
  private String endpoint = "";

  @Option(names = "--force", description = "even if nothing is known of the endpoint")
  private boolean force;

  @Override
  public Integer call() {
    try (CommandDatabase database = CommandDatabase.open(options)) {
      if (!force) {
        PauseCommand.requireKnown(database, endpoint);
      }
      Pause before = database.store.pauseOf(endpoint);
      database.store.resume(endpoint);
      output.print(
          Output.object("endpoint", endpoint, "paused", false, "changed", before != null),
          before == null
              ? "%s is not paused; there was nothing to do.".formatted(endpoint)
              : "%s goes on. It was paused by %s since %s: %s"
                  .formatted(endpoint, before.by(), before.since(), before.reason()));
      return 0;
    }
  }
}
