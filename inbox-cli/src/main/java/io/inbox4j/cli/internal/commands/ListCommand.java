package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.TerminalText;
import io.inbox4j.cli.internal.terminal.TextTable;
import io.inbox4j.jdbi.internal.operate.MessageQueries;
import io.inbox4j.jdbi.internal.operate.MessageQueries.ProcessedMessage;
import io.inbox4j.operations.DeadMessage;
import io.inbox4j.operations.MessageFilter;
import io.inbox4j.operations.PendingMessage;
import io.inbox4j.operations.QuarantineEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists messages. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description =
        "Lists dead messages, or those of another status: in arrival order, processed ones the"
            + " newest first.")
public final class ListCommand implements Callable<Integer> {

  private static final int MAX_LIMIT = 10_000;

  /** The status of a message. */
  enum Status {
    PENDING,
    RETRYING,
    PROCESSED,
    DEAD,
    QUARANTINED;

    /** The name as written on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** One line of the list. */
  private record Line(
      String status,
      String id,
      String endpoint,
      @Nullable String type,
      int attempts,
      Instant since,
      @Nullable Instant due,
      @Nullable String error) {}

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final FilterOptions filters = new FilterOptions();
  @Mixin private final Output output = new Output();

  @Option(
      names = "--status",
      defaultValue = "dead",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
  private Status status = Status.DEAD;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "how many at most; default ${DEFAULT-VALUE}")
  private int limit;

  @Override
  public Integer call() {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new UsageException("--limit is %d; expected 1 to %d".formatted(limit, MAX_LIMIT));
    }
    MessageFilter filter = filters.filter();
    if (status == Status.PROCESSED && filter.text() != null) {
      throw new UsageException("--text is given, but processed messages have no error");
    }
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<Line> lines = lines(database, filter);
      output.print(lines.stream().map(ListCommand::json).toList(), table(lines));
      return 0;
    }
  }

  private List<Line> lines(CommandDatabase database, MessageFilter filter) {
    return switch (status) {
      case DEAD -> database.store.listDead(filter, limit).stream().map(ListCommand::line).toList();
      case QUARANTINED ->
          database.store.listQuarantineEntries(filter, 0, limit).stream()
              .map(ListCommand::line)
              .toList();
      case PENDING -> lines(database.store.listPending(filter, limit));
      case RETRYING -> lines(MessageQueries.retrying(database.handle, filter, limit));
      case PROCESSED ->
          MessageQueries.processed(database.handle, filter, limit).stream()
              .map(ListCommand::line)
              .toList();
    };
  }

  private static List<Line> lines(List<PendingMessage> pending) {
    return pending.stream().map(ListCommand::line).toList();
  }

  private static Line line(PendingMessage it) {
    return new Line(
        it.attempts() > 0 ? "retrying" : "pending",
        it.messageId().toString(),
        it.endpoint(),
        it.type(),
        it.attempts(),
        it.receivedAt(),
        it.dueAt(),
        it.error());
  }

  private static Line line(ProcessedMessage it) {
    return new Line(
        "processed",
        it.messageId().toString(),
        it.endpoint(),
        it.type(),
        it.attempts(),
        it.processedAt(),
        null,
        null);
  }

  private static Line line(DeadMessage it) {
    return new Line(
        "dead",
        it.messageId().toString(),
        it.endpoint(),
        it.type(),
        it.attempts(),
        it.deadAt(),
        null,
        it.error());
  }

  private static Line line(QuarantineEntry it) {
    return new Line(
        "quarantined",
        "q" + it.sequence(),
        it.endpoint(),
        it.type(),
        0,
        it.quarantinedAt(),
        null,
        it.reason().code() + ": " + it.detail());
  }

  private TerminalText table(List<Line> lines) {
    if (lines.isEmpty()) {
      return TerminalText.of("There are no such messages.");
    }
    boolean waits = status == Status.PENDING || status == Status.RETRYING;
    List<String> titles =
        new ArrayList<>(List.of("ID", "ENDPOINT", "TYPE", "STATUS", "ATTEMPTS", "SINCE"));
    titles.addAll(waits ? List.of("DUE", "ERROR") : List.of("ERROR"));
    TextTable table = new TextTable(output.terminal(), titles.toArray(String[]::new));
    for (Line it : lines) {
      List<Object> row =
          new ArrayList<>(
              List.of(
                  it.id,
                  it.endpoint,
                  Objects.requireNonNullElse(it.type, "-"),
                  it.status,
                  it.attempts,
                  it.since));
      if (waits) {
        row.add(String.valueOf(it.due));
      }
      row.add(Objects.requireNonNullElse(it.error, "-"));
      table.row(row.toArray());
    }
    return lines.size() == limit
        ? table.text().line("These are the first %d; --limit shows more.", limit)
        : table.text();
  }

  private static Map<String, @Nullable Object> json(Line it) {
    return Output.object(
        "id", it.id,
        "endpoint", it.endpoint,
        "type", it.type,
        "status", it.status,
        "attempts", it.attempts,
        "since", it.since,
        "dueAt", it.due,
        "error", it.error);
  }
}
