package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.tables.StatusReport;
import io.inbox4j.cli.internal.tables.StatusReport.Status;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.Terminal;
import io.inbox4j.cli.internal.terminal.TerminalText;
import io.inbox4j.cli.internal.terminal.TextTable;
import io.inbox4j.listener.Backlog;
import io.inbox4j.operations.Pause;
import io.inbox4j.store.StoreStatus;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the status of every endpoint. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Shows what waits, fails and is put aside at every endpoint. It costs little.")
public final class StatusCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Override
  public Integer call() {
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Status> all = StatusReport.of(database);
      output.print(
          Output.object("endpoints", all.stream().map(StatusCommand::json).toList()),
          all.isEmpty() ? TerminalText.of("No message was received yet.") : table(all));
      return 0;
    }
  }

  private TerminalText table(List<Status> all) {
    Terminal terminal = output.terminal();
    TextTable table =
        new TextTable(
            terminal,
            "ENDPOINT",
            "PENDING",
            "OLDEST",
            "RECEIVED/S",
            "PROCESSED/S",
            "LAG",
            "RETRYING",
            "DEAD",
            "QUARANTINED",
            "BLOCKED",
            "PAUSED");
    for (Status it : all) {
      table.row(
          it.needsSomebody() ? terminal.yellow(it.endpoint()) : it.endpoint(),
          it.pending() > Backlog.EXACT ? "~" + it.pending() : it.pending(),
          it.pending() == 0 ? "-" : DurationText.of(it.oldest()),
          "%.1f".formatted(it.received()),
          "%.1f".formatted(it.processed()),
          DurationText.of(it.lag()),
          counted(it.retrying()),
          it.dead() > 0 ? terminal.red(counted(it.dead())) : "0",
          it.quarantined() > 0 ? terminal.yellow(counted(it.quarantined())) : "0",
          it.blocked() == null ? "-" : terminal.red(blocked(it.blocked())),
          paused(it.pause()));
    }
    return table.text();
  }

  private static String counted(long number) {
    return number >= Backlog.EXACT ? Backlog.EXACT + "+" : String.valueOf(number);
  }

  private static String blocked(StoreStatus.Blocked it) {
    return "%d by %s until %s".formatted(it.waiting(), it.messageId(), it.until());
  }

  private static String paused(@Nullable Pause pause) {
    return pause == null ? "-" : "by %s: %s".formatted(pause.by(), pause.reason());
  }

  private static Map<String, @Nullable Object> json(Status it) {
    Pause pause = it.pause();
    StoreStatus.Blocked blocked = it.blocked();
    return Output.object(
        "endpoint", it.endpoint(),
        "pending", it.pending(),
        "oldestSeconds", it.oldest(),
        "receivedPerSecond", it.received(),
        "processedPerSecond", it.processed(),
        "lagSeconds", it.lag(),
        "retrying", it.retrying(),
        "dead", it.dead(),
        "quarantined", it.quarantined(),
        "blocked",
            blocked == null
                ? null
                : Output.object(
                    "waiting", blocked.waiting(),
                    "messageId", blocked.messageId().toString(),
                    "until", blocked.until()),
        "paused",
            pause == null
                ? null
                : Output.object(
                    "by", pause.by(), "reason", pause.reason(), "since", pause.since()));
  }
}
