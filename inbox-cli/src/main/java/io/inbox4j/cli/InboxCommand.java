package io.inbox4j.cli;

import io.inbox4j.cli.internal.commands.CompletionCommand;
import io.inbox4j.cli.internal.commands.DiscardCommand;
import io.inbox4j.cli.internal.commands.DoctorCommand;
import io.inbox4j.cli.internal.commands.ExitCode;
import io.inbox4j.cli.internal.commands.ExpediteCommand;
import io.inbox4j.cli.internal.commands.ListCommand;
import io.inbox4j.cli.internal.commands.MigrateCommand;
import io.inbox4j.cli.internal.commands.PauseCommand;
import io.inbox4j.cli.internal.commands.PurgeCommand;
import io.inbox4j.cli.internal.commands.RecoverCommand;
import io.inbox4j.cli.internal.commands.ReplayCommand;
import io.inbox4j.cli.internal.commands.ResumeCommand;
import io.inbox4j.cli.internal.commands.RunCommand;
import io.inbox4j.cli.internal.commands.ShowCommand;
import io.inbox4j.cli.internal.commands.StatusCommand;
import io.inbox4j.cli.internal.commands.TailCommand;
import io.inbox4j.cli.internal.commands.VersionText;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.Settings;
import io.inbox4j.cli.internal.options.UsageException;
import io.inbox4j.cli.internal.service.Logging;
import io.inbox4j.cli.internal.terminal.Terminal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command-line program {@code inbox}.
 *
 * <p>It exits with 0 on success, with 1 if it failed or found a problem, and with 2 if it was
 * invoked incorrectly and therefore did nothing.
 */
@Command(
    name = "inbox",
    description = "Runs the inbox of a service, and helps those who operate it.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class,
    subcommands = {
      RunCommand.class,
      MigrateCommand.class,
      StatusCommand.class,
      ListCommand.class,
      ShowCommand.class,
      ReplayCommand.class,
      ExpediteCommand.class,
      DiscardCommand.class,
      PurgeCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      TailCommand.class,
      DoctorCommand.class,
      RecoverCommand.class,
      CompletionCommand.class
    })
public final class InboxCommand {

  private InboxCommand() {}

  public static void main(String[] args) {
    Logging.ofCommands();
    System.exit(execute(commandLine(), args));
  }

  static int execute(CommandLine commands, String... args) {
    try {
      Settings settings = Settings.of(List.of(args), System.getenv());
      settings.check(commands);
      commands.setDefaultValueProvider(settings);
    } catch (UsageException e) {
      return complain(commands, e.getMessage(), ExitCode.WRONG_USAGE);
    }
    return commands.execute(args);
  }

  /**
   * Creates the command line with all commands and its error handling; for programs that have their
   * own main.
   */
  public static CommandLine commandLine() {
    CommandLine commands = new CommandLine(new InboxCommand());
    commands
        .getSubcommands()
        .values()
        .forEach(it -> it.getCommandSpec().versionProvider(new VersionText()));
    commands.registerConverter(Duration.class, new DurationText());
    commands.setCaseInsensitiveEnumValuesAllowed(true);
    commands.setAbbreviatedOptionsAllowed(false);
    commands.setUsageHelpAutoWidth(true);
    commands.setParameterExceptionHandler(InboxCommand::wrongUsage);
    commands.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          boolean usage = failure instanceof UsageException;
          return complain(command, text(failure), usage ? ExitCode.WRONG_USAGE : ExitCode.FAILED);
        });
    return commands;
  }

  private static int wrongUsage(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    int code = complain(command, withoutSecret(mistake), ExitCode.WRONG_USAGE);
    UnmatchedArgumentException.printSuggestions(mistake, command.getErr());
    command.getErr().flush();
    return code;
  }

  /** The message may contain what was given as a password, which must not be repeated. */
  private static String withoutSecret(ParameterException mistake) {
    boolean secret =
        mistake.getArgSpec() != null && mistake.getArgSpec().paramLabel().equals("PASSWORD");
    return secret ? "a password was given in a wrong way" : mistake.getMessage();
  }

  private static int complain(CommandLine command, @Nullable String message, int code) {
    Terminal terminal = Terminal.of(command);
    String name = command.getCommandSpec().qualifiedName();
    terminal.say("%s: %s", name, inOneLine(message));
    if (code == ExitCode.WRONG_USAGE) {
      terminal.say("%s --help says more", name);
    }
    return code;
  }

  /** The database puts details on further lines. */
  private static String inOneLine(@Nullable String message) {
    return String.valueOf(message).lines().map(String::strip).collect(Collectors.joining("; "));
  }

  /** The database's message, without the statement and its arguments. */
  private static String text(Throwable failure) {
    if (failure instanceof JdbiException && failure.getCause() instanceof SQLException sql) {
      return "the database refused: " + sql.getMessage();
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
