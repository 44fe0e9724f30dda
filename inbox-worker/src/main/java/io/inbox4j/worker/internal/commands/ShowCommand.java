package io.inbox4j.worker.internal.commands;

import io.inbox4j.operations.Intervention;
import io.inbox4j.worker.internal.options.DatabaseOptions;
import io.inbox4j.worker.internal.options.UsageException;
import io.inbox4j.worker.internal.tables.Database;
import io.inbox4j.worker.internal.tables.Found;
import io.inbox4j.worker.internal.tables.MessageKey;
import io.inbox4j.worker.internal.terminal.Output;
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

/** All that is known of a message. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = "Shows what is known of a message, and who replayed or discarded it.")
public final class ShowCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Parameters(
      paramLabel = "ID",
      converter = KeyConverter.class,
      description = "the message id, or its place in the quarantine, as q17")
  private @Nullable MessageKey key;

  @Option(names = "--endpoint", paramLabel = "QUEUE", description = "only at this endpoint")
  private @Nullable String endpoint;

  @Option(names = "--body", description = "with headers and body, which may be private")
  private boolean body;

  @Override
  public Integer call() {
    if (key == null) {
      throw new UsageException("no message is named");
    }
    try (Database database = Database.open(options)) {
      List<Found> found = Found.all(database, key, endpoint);
      StringBuilder text = new StringBuilder();
      found.forEach(it -> text.append(text(it)).append(System.lineSeparator()));
      output.print(found.stream().map(this::json).toList(), text.toString());
      return 0;
    }
  }

  private String text(Found found) {
    StringBuilder text = new StringBuilder();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>(found.fields());
    if (body) {
      fields.putAll(found.content());
    }
    fields.forEach(
        (name, value) -> {
          if (value != null && !Boolean.FALSE.equals(value)) {
            text.append("%-26s %s%n".formatted(name, value));
          }
        });
    for (Intervention it : found.history()) {
      text.append(
          "%-26s %s by %s, %s%n"
              .formatted(
                  it.action() == Intervention.Action.REPLAY ? "replayed" : "discarded",
                  it.at(),
                  it.by(),
                  "it was: " + it.reason().lines().findFirst().orElse("")));
    }
    return text.toString();
  }

  private Map<String, @Nullable Object> json(Found found) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(found.fields());
    if (body) {
      all.putAll(found.content());
    }
    all.put("history", found.history().stream().map(ShowCommand::json).toList());
    return all;
  }

  private static Map<String, @Nullable Object> json(Intervention it) {
    return Output.object(
        "action", it.action().name().toLowerCase(Locale.ROOT),
        "by", it.by(),
        "at", it.at(),
        "reason", it.reason());
  }
}
