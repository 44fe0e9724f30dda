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
import io.inbox4j.operations.ProcessInfo;
import io.inbox4j.operations.RunningProcess;
import io.inbox4j.operations.UnhandledType;
import io.inbox4j.store.StoreStatus;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the status of every endpoint. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Shows what waits, fails and is put aside at every endpoint, which processes are running,"
            + " and what none of them handles. It costs little.")
public final class StatusCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Override
  public Integer call() {
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Status> all = StatusReport.of(database);
      List<RunningProcess> processes = database.store.processes();
      List<UnhandledType> unhandled =
          database.store.unhandledTypes(all.stream().map(Status::endpoint).toList());
      output.print(
          Output.object(
              "endpoints", all.stream().map(StatusCommand::json).toList(),
              "processes", processes.stream().map(StatusCommand::json).toList(),
              "unhandled", unhandled.stream().map(StatusCommand::json).toList()),
          text(all, processes, unhandled));
      return 0;
    }
  }

  private TerminalText text(
      List<Status> all, List<RunningProcess> processes, List<UnhandledType> unhandled) {
    TerminalText text =
        all.isEmpty() ? TerminalText.of("No message was received yet.") : table(all);
    text.line("");
    if (processes.isEmpty()) {
      text.line("No process is running.");
    } else {
      text.add(processes(processes));
    }
    for (UnhandledType it : unhandled) {
      text.line(
          "No running process handles %s at %s; its %s",
          it.type(),
          it.endpoint(),
          it.quarantined() ? "deliveries are in quarantine" : "messages are pending");
    }
    return text;
  }

  private TerminalText processes(List<RunningProcess> all) {
    TextTable table =
        new TextTable(
            output.terminal(), "PROCESS", "HOST", "PID", "VERSION", "SINCE", "DOES", "HANDLES");
    for (RunningProcess it : all) {
      ProcessInfo info = it.info();
      table.row(
          info.name(),
          info.host(),
          info.pid(),
          info.version(),
          it.startedAt(),
          String.join(", ", roles(info)),
          handled(info));
    }
    return table.text();
  }

  private static List<String> roles(ProcessInfo info) {
    return info.roles().stream().sorted().map(it -> it.name().toLowerCase(Locale.ROOT)).toList();
  }

  /** Every endpoint with what is handled there. */
  private static String handled(ProcessInfo info) {
    return new TreeMap<>(info.handled())
        .entrySet().stream()
            .map(
                it ->
                    it.getValue().isEmpty()
                        ? it.getKey()
                        : it.getKey() + ": " + String.join(" ", new TreeSet<>(it.getValue())))
            .collect(Collectors.joining("; "));
  }

  private static Map<String, @Nullable Object> json(RunningProcess it) {
    return Output.object(
        "id", it.info().id().toString(),
        "name", it.info().name(),
        "host", it.info().host(),
        "pid", it.info().pid(),
        "version", it.info().version(),
        "startedAt", it.startedAt(),
        "seenAt", it.seenAt(),
        "roles", roles(it.info()),
        "handled", it.info().handled());
  }

  private static Map<String, @Nullable Object> json(UnhandledType it) {
    return Output.object(
        "endpoint", it.endpoint(), "type", it.type(), "quarantined", it.quarantined());
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
