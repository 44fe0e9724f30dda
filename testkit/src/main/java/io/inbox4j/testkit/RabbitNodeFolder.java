package io.inbox4j.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The folder of a private RabbitMQ node: its configuration, data, logs and cookie.
 *
 * <p>The node shares nothing with another one on the machine: neither ports nor names nor the port
 * mapper of Erlang.
 */
record RabbitNodeFolder(Path root, int amqpPort, int distributionPort, int portMapperPort) {

  static RabbitNodeFolder create(RabbitInstallation installation) {
    RabbitNodeFolder folder =
        new RabbitNodeFolder(
            installation.newFolder(), FreePort.choose(), FreePort.choose(), FreePort.choose());
    folder.write("rabbitmq.conf", "listeners.tcp.1 = 127.0.0.1:" + folder.amqpPort() + "\n");
    folder.write("enabled_plugins", "[].\n");
    return folder;
  }

  String nodeName() {
    return "inbox-" + amqpPort + "@localhost";
  }

  /** Points a program of RabbitMQ to this folder, and its output into it. */
  ProcessBuilder prepare(ProcessBuilder builder) {
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_"));
    environment.put("HOME", root.toString());
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
