package io.inbox4j.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The folder of a private RabbitMQ node: its configuration, data, logs and cookie.
 *
 * <p>The node shares nothing with another one on the machine: neither ports nor names nor the port
 * mapper of Erlang.
 */
record RabbitNodeFolder(
    Path root, Path home, int amqpPort, int distributionPort, int portMapperPort) {

  private static final String COOKIE = ".erlang.cookie";

  /** The folder of a node that stands alone. */
  static RabbitNodeFolder create(RabbitInstallation installation) {
    return create(installation, 1).get(0);
  }

  /** The folders of nodes that find one another: they share a cookie and a port mapper. */
  static List<RabbitNodeFolder> create(RabbitInstallation installation, int nodes) {
    int portMapperPort = FreePort.choose();
    List<RabbitNodeFolder> folders = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      Path root = installation.newFolder();
      Path home = i == 0 ? root : folders.get(0).root();
      folders.add(
          new RabbitNodeFolder(root, home, FreePort.choose(), FreePort.choose(), portMapperPort));
    }
    folders.forEach(folder -> folder.write("rabbitmq.conf", folder.configuration(folders)));
    folders.forEach(folder -> folder.write("enabled_plugins", "[].\n"));
    folders.get(0).writeCookie(installation);
    return folders;
  }

  /**
   * What nodes know one another by. A node writes one when there is none, but they start at once.
   */
  private void writeCookie(RabbitInstallation installation) {
    write(COOKIE, UUID.randomUUID().toString());
    try {
      Path cookie = home.resolve(COOKIE);
      Files.setPosixFilePermissions(cookie, PosixFilePermissions.fromString("r--------"));
      installation.own(cookie);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot protect the cookie of RabbitMQ", e);
    }
  }

  private String configuration(List<RabbitNodeFolder> cluster) {
    StringBuilder text = new StringBuilder("listeners.tcp.1 = 127.0.0.1:" + amqpPort + "\n");
    // By itself RabbitMQ 4 takes 16 MiB, less than some tests publish.
    text.append("max_message_size = " + RabbitServer.MAX_MESSAGE_SIZE + "\n");
    if (cluster.size() > 1) {
      text.append("cluster_formation.peer_discovery_backend = classic_config\n");
    }
    for (int i = 0; cluster.size() > 1 && i < cluster.size(); i++) {
      text.append(
          "cluster_formation.classic_config.nodes.%d = %s%n"
              .formatted(i + 1, cluster.get(i).nodeName()));
    }
    return text.toString();
  }

  String cookie() {
    try {
      return Files.readString(home.resolve(COOKIE)).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the cookie of RabbitMQ", e);
    }
  }

  String nodeName() {
    return "inbox-" + amqpPort + "@localhost";
  }

  /** Points a program of RabbitMQ to this folder, and its output into it. */
  ProcessBuilder prepare(ProcessBuilder builder) {
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_"));
    environment.put("HOME", home.toString());
    environment.put("ERL_EPMD_PORT", Integer.toString(portMapperPort));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODENAME", nodeName());
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(distributionPort));
    environment.put(
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
    environment.put("RABBITMQ_MNESIA_BASE", path("data"));
    environment.put("RABBITMQ_LOG_BASE", path("log"));
    environment.put("RABBITMQ_CONFIG_FILE", path("rabbitmq.conf"));
    environment.put("RABBITMQ_CONF_ENV_FILE", path("rabbitmq-env.conf"));
    environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", path("enabled_plugins"));
    environment.put("RABBITMQ_PID_FILE", path("pid"));
    File output = root.resolve("output").toFile();
    return builder
        .directory(root.toFile())
        .redirectErrorStream(false)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
        .redirectError(ProcessBuilder.Redirect.appendTo(output));
  }

  private String path(String name) {
    return root.resolve(name).toString();
  }

  boolean portMapperAnswers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), portMapperPort)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** What the server has printed. */
  String output() {
    try {
      return Files.readString(root.resolve("output"));
    } catch (IOException e) {
      return "(nothing: " + e + ")";
    }
  }

  private void write(String name, String content) {
    try {
      Files.writeString(root.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + name + " for RabbitMQ", e);
    }
  }

  void delete() {
    try (Stream<Path> files = Files.walk(root)) {
      files.sorted(Comparator.reverseOrder()).forEach(RabbitNodeFolder::delete);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + root, e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + file, e);
    }
  }
}
