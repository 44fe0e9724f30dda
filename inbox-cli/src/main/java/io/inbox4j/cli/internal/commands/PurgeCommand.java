package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.RetentionOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.ProgressBar;
import io.inbox4j.cli.internal.terminal.Terminal;
import io.inbox4j.jdbi.internal.operate.MessageQueries;
import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Removes what has been kept long enough. */
@Command(
    name = "purge",
    mixinStandardHelpOptions = true,
    description =
        "Removes processed and discarded messages that were kept long enough now, as the workers"
            + " do in the background: for as long as they want, or of the endpoints that are named"
            + " for as long as is said. Pending, dead and quarantined ones stay.")
public final class PurgeCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final RetentionOptions retentions = new RetentionOptions();
  @Mixin private final Output output = new Output();

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      description = "whose messages are kept for --retention-days; more than one can be given")
  private Set<String> endpoints = new TreeSet<>();

  @Option(
      names = "--force",
      description = "even what a running process wants to keep for longer than --retention-days")
  private boolean force;

  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  @Override
  public Integer call() {
    return endpoints.isEmpty() ? asDeclared() : named();
  }

  /**
   * A retention in the environment is meant for the workers, so only the command line is checked.
   */
  private int asDeclared() {
    boolean given =
        spec != null && spec.commandLine().getParseResult().hasMatchedOption("--retention-days");
    if (given || force) {
      throw new UsageException(
          "it is not said whose messages are meant; expected --endpoint, or neither it nor"
              + " --retention-days nor --force to remove what the workers want to be removed");
    }
    try (CommandDatabase database = CommandDatabase.open(options)) {
      Map<String, Retention> declared = database.store.declaredRetention();
      String what =
          "Removing what the workers of %s keep no longer in %s"
              .formatted(
                  declared.isEmpty() ? "no endpoint" : String.join(", ", declared.keySet()),
                  database.place);
      return run(database, what, declared.values(), database.store::retain);
    }
  }

  private int named() {
    Retention retention = retentions.given();
    if (retention == null || retention.keep() == null) {
      throw new UsageException(
          "it is not said how long messages are kept; expected --retention-days with 1 or more");
    }
    try (CommandDatabase database = CommandDatabase.open(options)) {
      String what =
          "Removing what was done with %d days ago of %s in %s"
              .formatted(retention.keep().toDays(), String.join(", ", endpoints), database.place);
      int code =
          run(
              database,
              what,
              List.of(retention),
              progress -> database.store.retain(endpoints, retention, force, progress));
      if (!force) {
        tellWhoKeepsLonger(database, retention);
      }
      return code;
    }
  }

  private void tellWhoKeepsLonger(CommandDatabase database, Retention retention) {
    Map<String, Retention> declared = database.store.declaredRetention();
    for (String endpoint : endpoints) {
      Retention kept = declared.getOrDefault(endpoint, retention).orLonger(retention);
      if (!kept.equals(retention)) {
        output
            .terminal()
            .say(
                "%s is kept for longer, as a running process wants it: %s; --force removes it all"
                    + " the same",
                endpoint, describe(kept));
      }
    }
  }

  private static String describe(Retention kept) {
    return kept.isForever()
        ? "forever"
        : "%s, identities %s"
            .formatted(DurationText.of(kept.keep()), DurationText.of(kept.dedupWindow()));
  }

  private int run(
      CommandDatabase database,
      String what,
      Collection<Retention> kept,
      Function<Predicate<RetentionReport>, RetentionReport> retain) {
    Terminal terminal = output.terminal();
    if (!terminal.confirms(yes, what)) {
      return ExitCode.FAILED;
    }
    ProgressBar bar = new ProgressBar(terminal, estimate(database, kept));
    RetentionReport report =
        retain.apply(
            soFar -> {
              bar.show(soFar.removed() + soFar.emptied());
              return true;
            });
    bar.end();
    print(report);
    return report.ran() ? 0 : ExitCode.FAILED;
  }

  /** Estimates as if all messages were kept for the shortest of these times. */
  private static long estimate(CommandDatabase database, Collection<Retention> kept) {
    Duration shortest =
        kept.stream()
            .map(Retention::keep)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .orElse(null);
    return shortest == null ? 0 : MessageQueries.estimateProcessed(database.handle, shortest);
  }

  private void print(RetentionReport it) {
    output.print(
        Output.object(
            "ran", it.ran(),
            "removed", it.removed(),
            "emptied", it.emptied(),
            "archived", it.archived(),
            "expired", it.expired(),
            "forgotten", it.forgotten(),
            "partitionsDropped", it.partitionsDropped(),
            "tookSeconds", it.took()),
        it.ran()
            ? "%d messages removed, %d emptied, %d archived, %d expired from the archive; %d partitions dropped; it took %s."
                .formatted(
                    it.removed(),
                    it.emptied(),
                    it.archived(),
                    it.expired(),
                    it.partitionsDropped(),
                    DurationText.of(it.took()))
            : "Another process is removing messages; nothing was done here.");
  }
}
