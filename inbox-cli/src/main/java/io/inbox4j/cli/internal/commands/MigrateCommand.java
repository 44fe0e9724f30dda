package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.jdbi.JdbiInboxStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates or upgrades the tables. */
@Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = "Creates the tables, or upgrades them to what this version needs.")
public final class MigrateCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Override
  public Integer call() {
    try (CommandDatabase database = CommandDatabase.connect(options)) {
      int before = database.version();
      String schema = options.schema();
      if (schema == null) {
        JdbiInboxStore.migrate(CommandDatabase.dataSource(options));
      } else {
        JdbiInboxStore.migrate(CommandDatabase.dataSource(options), schema);
      }
      int after = database.version();
      output.print(
          Output.object("before", before, "version", after),
          before == after
              ? "The tables have version %d; there was nothing to do.".formatted(after)
              : "The tables have version %d now; it was %s."
                  .formatted(after, before == 0 ? "none" : before));
      return 0;
    }
  }
}
