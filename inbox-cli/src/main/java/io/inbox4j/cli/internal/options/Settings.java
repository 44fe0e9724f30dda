package io.inbox4j.cli.internal.options;

import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Supplies the values of options that are not on the command line: {@code --pool-size} is {@code
 * INBOX_POOL_SIZE} in the environment, and {@code pool-size} in the file given by {@code --config}.
 *
 * <p>This applies to options that say where and how to run. What to do, and with which messages,
 * must always be given on the command line: a forgotten variable must not choose what is discarded.
 */
public final class Settings implements CommandLine.IDefaultValueProvider {

  public static final String CONFIG = "--config";

  private static final Set<Class<?>> DECLARED_IN =
      Set.of(
          ApplicationOptions.class,
          BrokerOptions.class,
          DatabaseOptions.class,
          RetentionOptions.class,
          WorkerOptions.class);

  private final Map<String, String> environment;
  private final Properties file;

  private Settings(Map<String, String> environment, Properties file) {
    this.environment = environment;
    this.file = file;
  }

  /**
   * Reads the settings of an invocation. The arguments are searched for the file first, because the
   * values of all other options may depend on it.
   */
  public static Settings of(List<String> arguments, Map<String, String> environment) {
    String path = environment.getOrDefault(variable(CONFIG), "");
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.startsWith(CONFIG + "=")) {
        path = argument.substring(CONFIG.length() + 1);
      } else if (argument.equals(CONFIG) && i + 1 < arguments.size()) {
        path = arguments.get(i + 1);
      }
    }
    return new Settings(environment, path.isBlank() ? new Properties() : read(Path.of(path)));
  }

  private static Properties read(Path path) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException(
          "the file '%s' given by %s cannot be read as properties: %s"
              .formatted(path, CONFIG, e.getClass().getSimpleName()));
    }
    return properties;
  }

  /** Rejects a file with a name that no command knows, because it is a typo. */
  public void check(CommandLine commands) {
    Set<String> known = new TreeSet<>();
    commands.getSubcommands().values().forEach(it -> known.addAll(names(it)));
    Set<String> unknown = new TreeSet<>(file.stringPropertyNames());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new UsageException(
          "the file given by %s sets %s; expected %s"
              .formatted(CONFIG, String.join(", ", unknown), String.join(", ", known)));
    }
  }

  /** The names of a command's settings. */
  public static Set<String> names(CommandLine command) {
    Set<String> names = new TreeSet<>();
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (isSetting(option)) {
        names.add(name(option));
      }
    }
    return names;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option) || !isSetting(option)) {
      return null;
    }
    String given = environment.get(variable(option.longestName()));
    if (given != null && !given.isBlank()) {
      return given;
    }
    String inFile = file.getProperty(name(option));
    return inFile == null || inFile.isBlank() ? null : inFile.strip();
  }

  private static boolean isSetting(OptionSpec option) {
    return option.userObject() instanceof Field field
        && !option.longestName().equals(CONFIG)
        && DECLARED_IN.contains(field.getDeclaringClass());
  }

  private static String name(OptionSpec option) {
    return option.longestName().substring(2);
  }

  /** The environment variable of an option: {@code INBOX_POOL_SIZE}. */
  public static String variable(String option) {
    return "INBOX_" + option.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
