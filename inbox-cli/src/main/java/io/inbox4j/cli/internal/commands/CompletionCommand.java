package io.inbox4j.cli.internal.commands;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints a script that lets a shell complete commands and options. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = {
      "Prints a script that lets bash and zsh complete commands and options:",
      "source <(inbox completion)"
    })
public final class CompletionCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not called as a command");
    }
    spec.commandLine().getOut().println(AutoComplete.bash("inbox", spec.root().commandLine()));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
