package io.inbox4j.worker.internal.commands;

import io.inbox4j.internal.SafeListener;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.Quarantine;
import io.inbox4j.worker.internal.commands.Intervening.Target;
import io.inbox4j.worker.internal.options.DatabaseOptions;
import io.inbox4j.worker.internal.tables.Database;
import io.inbox4j.worker.internal.terminal.Output;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives up on messages for good. */
@Command(
    name = "discard",
    mixinStandardHelpOptions = true,
    description = "Gives up on dead or quarantined messages for good.")
public final class DiscardCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Intervening intervening = new Intervening();
  @Mixin private final Output output = new Output();

  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  @Override
  public Integer call() {
    intervening.check();
    String actor = intervening.actor();
    try (Database database = Database.open(options)) {
      List<Target> targets = intervening.targets(database);
      if (!output.terminal().confirms(yes, "Discarding messages in " + database.place)) {
        return ExitCode.FAILED;
      }
      int discarded = 0;
      for (Target target : targets) {
        discarded +=
            target.origin() == Origin.DEAD
                ? Intervening.deadLetters(database, actor).discard(target.filter())
                : quarantine(database).as(actor).discard(target.filter());
      }
      output.print(
          Output.object("discarded", discarded),
          discarded == 1 ? "1 message is discarded." : discarded + " messages are discarded.");
      return 0;
    }
  }

  private static Quarantine quarantine(Database database) {
    return new Quarantine(database.store, Map.of(), new SafeListener(List.of()), endpoint -> {});
  }
}
