package io.inbox4j.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A RabbitMQ that nodes can be started of: the one whose programs are in the folder that {@code
 * INBOX_TEST_RABBITMQ} names, or else the one that is installed on this machine.
 *
 * @param scripts the folder of {@code rabbitmq-server} and {@code rabbitmqctl}
 * @param epmd the port mapper of Erlang
 * @param user the user to run as, or null to run as the current one
 */
record RabbitInstallation(Path scripts, Path epmd, @Nullable UserPrincipal user) {

  private static final String GIVEN = "INBOX_TEST_RABBITMQ";
  private static final String USER = "rabbitmq";

  static Optional<RabbitInstallation> find() {
    return given().or(RabbitInstallation::installed);
  }

  /** The one that the environment names. It runs as whoever runs the tests. */
  static Optional<RabbitInstallation> given() {
    return given(System.getenv(GIVEN));
  }

  static Optional<RabbitInstallation> given(@Nullable String folder) {
    if (folder == null || folder.isBlank()) {
      return Optional.empty();
    }
    Path scripts = Path.of(folder);
    if (!hasScripts(scripts)) {
      throw new IllegalStateException(
          "%s is '%s': expected a folder with rabbitmq-server and rabbitmqctl"
              .formatted(GIVEN, folder));
    }
    return Optional.of(
        new RabbitInstallation(scripts, findEpmd(Stream.concat(Stream.of(scripts), path())), null));
  }

  private static boolean hasScripts(Path folder) {
    return Files.isExecutable(folder.resolve("rabbitmq-server"))
        && Files.isExecutable(folder.resolve("rabbitmqctl"));
  }

  private static Optional<RabbitInstallation> installed() {
    // The packaged scripts on the path are wrappers with paths and a user of their own, so the
    // plain ones go first.
    return Stream.concat(
            Stream.of(Path.of("/usr/lib/rabbitmq/bin")),
            Stream.concat(path(), Stream.of(Path.of("/usr/sbin"))))
        .filter(RabbitInstallation::hasScripts)
        .findFirst()
        .map(folder -> new RabbitInstallation(folder, findEpmd(path()), userForRoot()));
  }

  private static Path findEpmd(Stream<Path> folders) {
    return folders
        .map(folder -> folder.resolve("epmd"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("rabbitmq-server is here, but no epmd on the PATH"));
  }

  private static Stream<Path> path() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .filter(entry -> !entry.isEmpty())
        .map(Path::of);
  }

  private static @Nullable UserPrincipal userForRoot() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return null;
    }
    Path root = Path.of("/");
    try {
      return root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER);
    } catch (UserPrincipalNotFoundException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look up the user " + USER, e);
    }
  }

  /** Creates a folder that the server may write to. */
  Path newFolder() {
    try {
      return own(Files.createTempDirectory("inbox-rabbit"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a folder for RabbitMQ", e);
    }
  }

  /** Gives a file to the user that the server runs as. */
  Path own(Path file) throws IOException {
    return user == null ? file : Files.setOwner(file, user);
  }

  /** The command line of one of the scripts. */
  List<String> script(String name, String... args) {
    return asUser(scripts.resolve(name), args);
  }

  /** The command line of a port mapper that stays in the foreground. */
  List<String> portMapper(int port) {
    return asUser(epmd, "-port", Integer.toString(port), "-address", "127.0.0.1");
  }

  /** The small program that evaluates expressions in a node, if Erlang came with it. */
  Optional<Path> erlCall() {
    return Optional.of(epmd.resolveSibling("erl_call")).filter(Files::isExecutable);
  }

  /** The command line of a program of Erlang. */
  List<String> program(Path program, String... args) {
    return asUser(program, args);
  }

  private List<String> asUser(Path program, String... args) {
    List<String> command = new ArrayList<>();
    if (user != null) {
      command.addAll(List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"));
    }
    command.add(program.toString());
    command.addAll(List.of(args));
    return command;
  }
}
