package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.tables.MessageTail;
import io.inbox4j.cli.internal.tables.MessageTail.Change;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Follows what happens to messages, live. */
@Command(
    name = "tail",
    mixinStandardHelpOptions = true,
    description =
        "Shows messages as they arrive, are processed, fail, die and are quarantined, until it is"
            + " interrupted.")
public final class TailCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final Output output = new Output();

  @Option(
      names = "--endpoint",
      paramLabel = "ENDPOINT",
      description = "only those of this endpoint")
  private @Nullable String endpoint;

  @Option(names = "--count", paramLabel = "N", description = "end after this many lines")
  private @Nullable Integer count;

  @Option(names = "--for", paramLabel = "TIME", description = "end after this time: 30s, 5m")
  private @Nullable Duration time;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "1s",
      description = "how often to look; default ${DEFAULT-VALUE}")
  private Duration every = Duration.ofSeconds(1);

  @Override
  public Integer call() throws InterruptedException {
    if (every.compareTo(Duration.ofMillis(100)) < 0 || every.compareTo(Duration.ofHours(1)) > 0) {
      throw new UsageException(
          "--every is %s; expected 100ms to 1h".formatted(DurationText.of(every)));
    }
    if (count != null && count < 1) {
      throw new UsageException("--count is %d; expected 1 or more".formatted(count));
    }
    long end = time == null ? Long.MAX_VALUE : System.nanoTime() + time.toNanos();
    int left = Objects.requireNonNullElse(count, Integer.MAX_VALUE);
    try (CommandDatabase database = CommandDatabase.open(options)) {
      MessageTail following = new MessageTail(database);
      if (!output.isJson()) {
        output.terminal().say("Following %s; Ctrl-C ends it.", database.place);
      }
      while (left > 0 && System.nanoTime() < end) {
        Thread.sleep(every.toMillis());
        List<Change> changes =
            following.look().stream()
                .filter(it -> endpoint == null || it.endpoint().equals(endpoint))
                .limit(left)
                .toList();
        changes.forEach(this::print);
        left -= changes.size();
      }
      return 0;
    }
  }

  private void print(Change it) {
    Terminal terminal = output.terminal();
    String what = "%-11s".formatted(it.what());
    Object coloured =
        switch (it.what()) {
          case "dead", "quarantined" -> terminal.red(what);
          case "retrying" -> terminal.yellow(what);
          case "processed" -> terminal.green(what);
          default -> what;
        };
    String error = it.error() == null ? "" : "  " + it.error().lines().findFirst().orElse("");
    output.print(
        Output.object(
            "what", it.what(),
            "id", it.id(),
            "endpoint", it.endpoint(),
            "type", it.type(),
            "attempts", it.attempts(),
            "error", it.error()),
        "%s %s %s %s attempts=%d%s",
        coloured,
        it.id(),
        it.endpoint(),
        Objects.requireNonNullElse(it.type(), "-"),
        it.attempts(),
        error);
  }
}
