package io.inbox4j.cli.internal.commands;

import io.inbox4j.PendingMessages;
import io.inbox4j.cli.internal.commands.InterventionOptions.Target;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.operations.Intervention.Origin;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Makes messages due now that would be due later. */
@Command(
    name = "expedite",
    mixinStandardHelpOptions = true,
    description =
        "Lets pending messages be handled now that were delayed, or wait to be tried again. They"
            + " keep their attempts, and their place in their ordering key.")
public final class ExpediteCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final InterventionOptions intervening = new InterventionOptions();
  @Mixin private final Output output = new Output();

  @Override
  public Integer call() {
    intervening.check();
    String actor = intervening.actor();
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Target> targets =
          intervening.targets(
              database,
              Origin.PENDING,
              Set.of(Origin.PENDING),
              "only pending ones can be expedited");
      PendingMessages pending = InterventionOptions.pending(database, actor);
      int expedited = 0;
      int inFlight = 0;
      for (Target target : targets) {
        PendingMessages.Result result = pending.expedite(target.filter());
        expedited += result.changed();
        inFlight += result.inFlight();
      }
      output.print(
          Output.object("expedited", expedited, "inFlight", inFlight),
          "%s%s",
          expedited == 1 ? "1 message is due now." : expedited + " messages are due now.",
          InterventionOptions.leftAlone(inFlight));
      boolean all = expedited >= targets.size();
      return all || !intervening.namesMessages() ? 0 : ExitCode.FAILED;
    }
  }
}
