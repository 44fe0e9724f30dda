package io.inbox4j.cli.internal.commands;

import io.inbox4j.Inbox;
import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.cli.internal.doctor.BrokerExamination;
import io.inbox4j.cli.internal.doctor.DatabaseExamination;
import io.inbox4j.cli.internal.doctor.Diagnosis;
import io.inbox4j.cli.internal.options.ApplicationOptions;
import io.inbox4j.cli.internal.options.BrokerOptions;
import io.inbox4j.cli.internal.options.DatabaseOptions;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.tables.CommandDatabase;
import io.inbox4j.cli.internal.tables.ExaminedDatabase;
import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.cli.internal.terminal.Styled;
import io.inbox4j.cli.internal.terminal.Terminal;
import io.inbox4j.cli.internal.terminal.TerminalText;
import io.inbox4j.jdbi.JdbiInboxStore;
import io.inbox4j.jdbi.internal.operate.EndpointQueries;
import io.inbox4j.transport.Topology;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jdbi.v3.core.JdbiException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reports what is wrong and what to do about it. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description =
        "Looks at the tables, indexes, plans, vacuum, transactions, settings and clocks, and with"
            + " --amqp-uri at the queues. Ends with 1 if something is wrong. Changes nothing.")
public final class DoctorCommand implements Callable<Integer> {

  @Mixin private final DatabaseOptions options = new DatabaseOptions();
  @Mixin private final BrokerOptions broker = new BrokerOptions();
  @Mixin private final ApplicationOptions applications = new ApplicationOptions();
  @Mixin private final Output output = new Output();

  @Override
  public Integer call() {
    try (ExaminedDatabase database = new ExaminedDatabase(options)) {
      List<Diagnosis> findings =
          new ArrayList<>(new DatabaseExamination(database, Clock.systemUTC()).examine());
      if (broker.isGiven()) {
        Map<String, Topology> subscribed = subscribed(findings);
        Set<String> queues = new TreeSet<>(subscribed.keySet());
        queues.addAll(endpoints(database));
        findings.addAll(new BrokerExamination(broker).examine(queues, subscribed));
      }
      boolean wrong = findings.stream().anyMatch(Diagnosis::isWrong);
      output.print(
          Output.object(
              "healthy",
              !wrong,
              "findings",
              findings.stream()
                  .map(
                      it ->
                          Output.object(
                              "check", it.check(),
                              "level", it.level().code(),
                              "detail", it.detail(),
                              "remedy", it.remedy()))
                  .toList()),
          text(findings));
      return wrong ? ExitCode.FAILED : 0;
    }
  }

  /** The endpoints that the database knows; that it cannot be queried has been reported already. */
  private static List<String> endpoints(ExaminedDatabase database) {
    try {
      return database.look(
          handle -> EndpointQueries.version(handle) > 0 ? EndpointQueries.all(handle) : List.of());
    } catch (JdbiException e) {
      return List.of();
    }
  }

  /**
   * How the service declares its queues, if it is on the class path. A service that cannot be
   * configured here is itself a finding.
   */
  private Map<String, Topology> subscribed(List<Diagnosis> findings) {
    try {
      return applications.applicationIfAny().map(this::topologies).orElse(Map.of());
    } catch (UsageException e) {
      throw e;
    } catch (Throwable e) { // not our code
      findings.add(
          Diagnosis.wrong(
              "application",
              "it cannot be configured: %s".formatted(e),
              "run doctor with the environment of the service; the queues are looked at as"
                  + " Topology.quorum() declares them"));
      return Map.of();
    }
  }

  private Map<String, Topology> topologies(InboxApplication application) {
    InboxBuilder builder = Inbox.builder();
    application.configure(builder);
    builder.store(JdbiInboxStore.create(CommandDatabase.dataSource(options)));
    try (Inbox inbox = builder.build()) {
      return inbox.topologies();
    }
  }

  private TerminalText text(List<Diagnosis> findings) {
    Terminal terminal = output.terminal();
    TerminalText text = new TerminalText();
    for (Diagnosis it : findings) {
      String level = "%-7s".formatted(it.level().name().toLowerCase(Locale.ROOT));
      Styled coloured =
          switch (it.level()) {
            case OK -> terminal.green(level);
            case WARNING -> terminal.yellow(level);
            case WRONG -> terminal.red(level);
          };
      text.line("%s %-12s %s", coloured, it.check(), it.detail());
      if (it.remedy() != null) {
        text.line("%21s-> %s", "", it.remedy());
      }
    }
    return text;
  }
}
