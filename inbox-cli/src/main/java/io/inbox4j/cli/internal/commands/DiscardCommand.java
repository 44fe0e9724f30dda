package io.inbox4j.cli.internal.commands;

import io.inbox4j.PendingMessages;
import io.inbox4j.Quarantine;
import io.inbox4j.cli.internal.commands.InterventionOptions.Target;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.operations.Intervention.Origin;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Discards messages for good. */
@Command(
    name = "discard",
    mixinStandardHelpOptions = true,
    description =
        "Gives up on dead or quarantined messages for good, or with --status pending on messages"
            + " that are still to be handled.")
public final class DiscardCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final InterventionOptions intervening = new InterventionOptions();
  @Mixin private final Output output = new Output();

  @Option(
      names = "--status",
      defaultValue = "dead",
      description =
          "what a filter looks among: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}. A pending"
              + " message is discarded with pending only, also by its id")
  private From status = From.DEAD;

  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  /** Where a filter searches. */
  enum From {
    PENDING(Origin.PENDING),
    DEAD(Origin.DEAD),
    QUARANTINED(Origin.QUARANTINE);

    private final Origin origin;

    From(Origin origin) {
      this.origin = origin;
    }

    /** The name as written on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() {
    intervening.check();
    if (status == From.PENDING && intervening.meansAll()) {
      throw new UsageException(
          "--all would discard everything that is still to be handled; expected ids, or a filter"
              + " such as --endpoint");
    }
    String actor = intervening.actor();
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Target> targets = targets(database);
      String what = status == From.PENDING ? "messages that were not handled" : "messages";
      if (!output.terminal().confirms(yes, "Discarding %s in %s".formatted(what, database.place))) {
        return ExitCode.FAILED;
      }
      int discarded = 0;
      int inFlight = 0;
      for (Target target : targets) {
        PendingMessages.Result result = discard(database, actor, target);
        discarded += result.changed();
        inFlight += result.inFlight();
      }
      output.print(
          Output.object("discarded", discarded, "inFlight", inFlight),
          "%s%s",
          discarded == 1 ? "1 message is discarded." : discarded + " messages are discarded.",
          InterventionOptions.leftAlone(inFlight));
      return inFlight > 0 && intervening.namesMessages() ? ExitCode.FAILED : 0;
    }
  }

  private List<Target> targets(CommandDatabase database) {
    return status == From.PENDING
        ? intervening.targets(
            database,
            Origin.PENDING,
            Set.of(Origin.PENDING),
            "with --status pending only pending ones are discarded")
        : intervening.targets(
            database,
            status.origin,
            Set.of(Origin.DEAD, Origin.QUARANTINE),
            "only dead and quarantined ones are discarded, and pending ones with --status pending");
  }

  private static PendingMessages.Result discard(
      CommandDatabase database, String actor, Target target) {
    return switch (target.origin()) {
      case PENDING -> InterventionOptions.pending(database, actor).discard(target.filter());
      case DEAD ->
          new PendingMessages.Result(
              InterventionOptions.deadLetters(database, actor).discard(target.filter()), 0);
      case QUARANTINE ->
          new PendingMessages.Result(quarantine(database).as(actor).discard(target.filter()), 0);
    };
  }

  private static Quarantine quarantine(CommandDatabase database) {
    return Quarantine.in(database.store);
  }
}
