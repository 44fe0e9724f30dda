package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.tables.FoundMessage;
import io.inbox4j.cli.internal.tables.MessageKey;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.TerminalText;
import io.inbox4j.cli.internal.terminal.TextTable;
import io.inbox4j.operations.FailedAttempt;
import io.inbox4j.operations.Intervention;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows everything that is known about a message. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description =
        "Shows what is known of a message, its failed attempts, and who replayed, expedited or"
            + " discarded it.")
public final class ShowCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Parameters(
      paramLabel = "ID",
      converter = KeyConverter.class,
      description = "the message id, or its place in the quarantine, as q17")
  private @Nullable MessageKey key;

  @Option(names = "--endpoint", paramLabel = "ENDPOINT", description = "only at this endpoint")
  private @Nullable String endpoint;

  @Option(names = "--body", description = "with headers and body, which may be private")
  private boolean body;

  @Override
  public Integer call() {
    if (key == null) {
      throw new UsageException("no message is named");
    }
    try (CommandDatabase database = CommandDatabase.open(options)) {
      List<FoundMessage> found = FoundMessage.all(database, key, endpoint);
      TerminalText text = new TerminalText();
      for (int i = 0; i < found.size(); i++) {
        (i == 0 ? text : text.line("")).add(text(found.get(i)));
      }
      output.print(found.stream().map(this::json).toList(), text);
      return 0;
    }
  }

  private TerminalText text(FoundMessage found) {
    TerminalText text = new TerminalText();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>(found.fields());
    if (body) {
      fields.putAll(found.content());
    }
    fields.forEach(
        (name, value) -> {
          if (value != null && !Boolean.FALSE.equals(value)) {
            text.field(name, value);
          }
        });
    if (!found.attempts().isEmpty()) {
      text.add(attempts(found.attempts()));
    }
    for (Intervention it : found.history()) {
      text.line(
          "%-26s %s by %s, it was: %s",
          done(it.action()), it.at(), it.by(), it.reason().lines().findFirst().orElse(""));
    }
    return text;
  }

  private TerminalText attempts(List<FailedAttempt> attempts) {
    TextTable table =
        new TextTable(
            output.terminal(), "ATTEMPT", "FAILED AT", "TOOK", "PROCESS", "FINGERPRINT", "ERROR");
    for (FailedAttempt it : attempts) {
      table.row(
          it.attempt(),
          it.at(),
          DurationText.of(it.took()),
          it.process() == null ? "-" : it.process(),
          it.fingerprint(),
          it.error());
    }
    return table.text();
  }

  private static String done(Intervention.Action action) {
    return switch (action) {
      case REPLAY -> "replayed";
      case DISCARD -> "discarded";
      case EXPEDITE -> "expedited";
    };
  }

  private Map<String, @Nullable Object> json(FoundMessage found) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(found.fields());
    if (body) {
      all.putAll(found.content());
    }
    all.put("failedAttempts", found.attempts().stream().map(ShowCommand::json).toList());
    all.put("history", found.history().stream().map(ShowCommand::json).toList());
    return all;
  }

  private static Map<String, @Nullable Object> json(FailedAttempt it) {
    return Output.object(
        "number", it.number(),
        "attempt", it.attempt(),
        "at", it.at(),
        "tookSeconds", it.took(),
        "process", it.process(),
        "errorClass", it.errorClass(),
        "error", it.error(),
        "fingerprint", it.fingerprint());
  }

  private static Map<String, @Nullable Object> json(Intervention it) {
    return Output.object(
        "action", it.action().name().toLowerCase(Locale.ROOT),
        "by", it.by(),
        "at", it.at(),
        "reason", it.reason());
  }
}
