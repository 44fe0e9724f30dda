package io.inbox4j.worker.internal.commands;

import io.inbox4j.operations.Retention;
import io.inbox4j.operations.RetentionReport;
import io.inbox4j.worker.internal.options.DatabaseOptions;
import io.inbox4j.worker.internal.options.DurationText;
import io.inbox4j.worker.internal.options.RetentionOptions;
import io.inbox4j.worker.internal.options.UsageException;
import io.inbox4j.worker.internal.tables.Database;
import io.inbox4j.worker.internal.tables.Sql;
import io.inbox4j.worker.internal.terminal.Output;
import io.inbox4j.worker.internal.terminal.ProgressBar;
import io.inbox4j.worker.internal.terminal.Terminal;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes what was kept long enough. */
@Command(
    name = "purge",
    mixinStandardHelpOptions = true,
    description =
        "Removes processed and discarded messages that were kept long enough now, as the workers"
            + " do in the background. Pending, dead and quarantined ones stay.")
public final class PurgeCommand implements Callable<Integer> {

  private static final Pattern ESTIMATE = Pattern.compile("rows=(\\d+)");

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final RetentionOptions retentions = new RetentionOptions();
  @Mixin private final Output output = new Output();

  @Option(names = "--yes", description = "do not ask")
  private boolean yes;

  @Override
  public Integer call() {
    Retention retention = retentions.given();
    if (retention == null || retention.keep() == null) {
      throw new UsageException(
          "it is not said how long messages are kept; expected --retention-days with 1 or more, as"
              + " the workers have it");
    }
    try (Database database = Database.open(options)) {
      Terminal terminal = output.terminal();
      String what =
          "Removing what was done with %d days ago in %s"
              .formatted(retention.keep().toDays(), database.place);
      if (!terminal.confirms(yes, what)) {
        return ExitCode.FAILED;
      }
      ProgressBar bar = new ProgressBar(terminal, estimate(database, retention));
      RetentionReport report =
          database.store.retain(
              retention,
              soFar -> {
                bar.show(soFar.removed() + soFar.emptied());
                return true;
              });
      bar.end();
      print(report);
      return report.ran() ? 0 : ExitCode.FAILED;
    }
  }

  private static long estimate(Database database, Retention retention) {
    String plan =
        database
            .handle
            .createQuery(Sql.ESTIMATE_OLD)
            .bind("millis", retention.keep().toMillis())
            .mapTo(String.class)
            .list()
            .get(0);
    Matcher rows = ESTIMATE.matcher(plan);
    return rows.find() ? Long.parseLong(rows.group(1)) : 0;
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
