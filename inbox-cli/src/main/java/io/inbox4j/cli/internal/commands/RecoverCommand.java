package io.inbox4j.cli.internal.commands;

import com.rabbitmq.client.Connection;
import io.inbox4j.cli.internal.broker.Broker;
import io.inbox4j.cli.internal.broker.DeadLetterRecovery;
import io.inbox4j.cli.internal.broker.DeadLetterRecovery.Report;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.ProgressBar;
import io.inbox4j.cli.internal.terminal.TerminalText;
import io.inbox4j.error.InboxException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Moves back what the broker has given up delivering. */
@Command(
    name = "recover",
    mixinStandardHelpOptions = true,
    description =
        "Puts messages that the broker has given up delivering back into their queue, one at a"
            + " time, to be received again. What is received twice is handled once. Those that no"
            + " client can read or publish stay where they are. It needs the broker only.")
public final class RecoverCommand implements Callable<Integer> {

  @Mixin private final BrokerOptions broker = new BrokerOptions();
  @Mixin private final Output output = new Output();

  @Parameters(paramLabel = "QUEUE", description = "the queue that they died in")
  private String queue = "";

  @Option(
      names = "--from",
      paramLabel = "QUEUE",
      description =
          "the queue that they are in now; default is the name of the first and .dead-letter")
  private @Nullable String from;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "how many to look at, at most; default is all that are there now")
  private long limit = Long.MAX_VALUE;

  @Override
  public Integer call() {
    if (limit < 1) {
      throw new UsageException("--limit is %d; expected 1 or more".formatted(limit));
    }
    String place = from == null ? queue + Broker.DEAD_LETTER_SUFFIX : from;
    if (place.equals(queue)) {
      throw new UsageException(
          "--from is the queue itself; expected the queue of its dead letters");
    }
    Report report = recover(place);
    output.print(
        Output.object(
            "recovered", report.recovered(),
            "unreadable", report.unreadable(),
            "unpublishable", report.unpublishable(),
            "ofOthers", report.ofOthers(),
            "waiting", report.waiting()),
        text(report, place));
    return 0;
  }

  private Report recover(String place) {
    try (Connection connection = Broker.connect(broker, "inbox recover")) {
      DeadLetterRecovery recovery = DeadLetterRecovery.of(connection, queue, place);
      ProgressBar bar = new ProgressBar(output.terminal(), Math.min(limit, recovery.waiting()));
      try {
        return recovery.run(limit, bar::show);
      } finally {
        bar.end();
      }
    } catch (IOException | TimeoutException e) {
      throw new InboxException(
          "the broker at %s: %s".formatted(broker.place(), Broker.refusal(e)), e);
    }
  }

  private TerminalText text(Report report, String place) {
    TerminalText text =
        TerminalText.of(
            report.recovered() == 1 ? "%d message is back in %s." : "%d messages are back in %s.",
            report.recovered(),
            queue);
    if (report.unreadable() > 0) {
      text.line(
          "%d stay in %s: no client can read their headers. Look at them with the broker's own"
              + " tools.",
          report.unreadable(), place);
    }
    if (report.unpublishable() > 0) {
      text.line(
          "%d stay in %s: a name or an id in them is too long to be published again. Look at them"
              + " with the broker's own tools.",
          report.unpublishable(), place);
    }
    if (report.ofOthers() > 0) {
      text.line("%d stay in %s: they did not die in %s.", report.ofOthers(), place, queue);
    }
    return text;
  }
}
