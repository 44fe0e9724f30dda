package io.inbox4j.cli.internal.commands;

import io.inbox4j.DeadLetters;
import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.Quarantine;
import io.inbox4j.cli.internal.commands.InterventionOptions.Target;
import io.inbox4j.cli.internal.options.ApplicationOptions;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.operations.Intervention.Origin;
import io.inbox4j.operations.MessageFilter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes messages be handled again. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description =
        "Lets dead messages be handled again, with all their attempts, and checks quarantined ones"
            + " anew; the latter needs the application on the class path.")
public final class ReplayCommand implements Callable<Integer> {

  private static final int POOL_SIZE = 4;

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final ApplicationOptions applications = new ApplicationOptions();
  @Mixin private final InterventionOptions intervening = new InterventionOptions();
  @Mixin private final Output output = new Output();

  @Option(
      names = "--status",
      defaultValue = "dead",
      description = "what a filter looks among: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
  private From status = From.DEAD;

  /** Where a filter searches. */
  enum From {
    DEAD,
    QUARANTINED;

    /** The name as written on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() {
    intervening.check();
    String actor = intervening.actor();
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Target> targets =
          intervening.targets(
              database,
              status == From.DEAD ? Origin.DEAD : Origin.QUARANTINE,
              Set.of(Origin.DEAD, Origin.QUARANTINE),
              "only dead and quarantined ones can be replayed");
      DeadLetters dead = InterventionOptions.deadLetters(database, actor);
      int replayed =
          filters(targets, Origin.DEAD).stream().mapToInt(dead::replay).sum()
              + check(filters(targets, Origin.QUARANTINE), actor);
      output.print(
          Output.object("replayed", replayed),
          "%d %s be handled again."
              .formatted(replayed, replayed == 1 ? "message will" : "messages will"));
      boolean all = replayed >= targets.size();
      return all || !intervening.namesMessages() ? 0 : ExitCode.FAILED;
    }
  }

  private static List<MessageFilter> filters(List<Target> targets, Origin origin) {
    return targets.stream().filter(it -> it.origin() == origin).map(Target::filter).toList();
  }

  /** Only the subscribing application knows what a valid event is. */
  private int check(List<MessageFilter> filters, String actor) {
    if (filters.isEmpty()) {
      return 0;
    }
    InboxBuilder builder = Inbox.builder();
    applications.application().configure(builder);
    builder.store(JdbiInboxStore.builder(options.url()).poolSize(POOL_SIZE).migrate(false).build());
    try (Inbox inbox = builder.build()) {
      inbox.open();
      Quarantine quarantine = inbox.quarantine().as(actor);
      return filters.stream().mapToInt(quarantine::replay).sum();
    }
  }
}
