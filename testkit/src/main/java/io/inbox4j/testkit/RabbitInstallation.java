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
 * The RabbitMQ that is installed on this machine.
 *
 * @param scripts the folder of {@code rabbitmq-server} and {@code rabbitmqctl}
 * @param epmd the port mapper of Erlang
 * @param user the user to run as, or null to run as the current one
 */
record RabbitInstallation(Path scripts, Path epmd, @Nullable UserPrincipal user) {

  private static final String USER = "rabbitmq";

  static Optional<RabbitInstallation> find() {
    // The packaged scripts on the path are wrappers with paths and a user of their own, so the
    // plain ones go first.
    return Stream.concat(
            Stream.of(Path.of("/usr/lib/rabbitmq/bin")),
            Stream.concat(path(), Stream.of(Path.of("/usr/sbin"))))
        .filter(folder -> Files.isExecutable(folder.resolve("rabbitmq-server")))
        .filter(folder -> Files.isExecutable(folder.resolve("rabbitmqctl")))
        .findFirst()
        .map(folder -> new RabbitInstallation(folder, findEpmd(), userForRoot()));
  }

  private static Path findEpmd() {
    return path()
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
      Path folder = Files.createTempDirectory("inbox-rabbit");
      if (user != null) {
        Files.setOwner(folder, user);
      }
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a folder for RabbitMQ", e);
    }
  }

  /** The command line of one of the scripts. */
  List<String> script(String name, String... args) {
    return asUser(scripts.resolve(name), args);
  }

  /** The command line of a port mapper that stays in the foreground. */
  List<String> portMapper(int port) {
    return asUser(epmd, "-port", Integer.toString(port), "-address", "127.0.0.1");
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
