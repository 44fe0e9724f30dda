package io.inbox4j.benchmarks.peers;

import com.zaxxer.hikari.HikariDataSource;
import io.inbox4j.benchmarks.lab.Trial;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A library of Node.js, in a process of its own; npm installs it when it is first needed. */
final class NodePeer extends Peer {

  private static final Path FOLDER = Path.of("benchmarks", "target", "node");
  private static final List<String> FILES =
      List.of("package.json", "graphile-worker.mjs", "pg-boss.mjs");

  private final String script;

  private NodePeer(String name, String script) {
    super(name, false);
    this.script = script;
  }

  static NodePeer graphileWorker() {
    return new NodePeer("graphile-worker 0.17.3", "graphile-worker.mjs");
  }

  static NodePeer pgBoss() {
    return new NodePeer("pg-boss 10.4.2", "pg-boss.mjs");
  }

  /** As many as the fastest have: with fewer it would be measured before it has come to speed. */
  @Override
  public int messages(int others) {
    return others;
  }

  @Override
  public boolean isPossible() {
    try {
      install();
      return true;
    } catch (IOException | IllegalStateException e) {
      System.out.printf("left out: %s (%s)%n", name(), e.getMessage());
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void install() throws IOException, InterruptedException {
    Files.createDirectories(FOLDER);
    for (String file : FILES) {
      try (InputStream in = NodePeer.class.getResourceAsStream("/node/" + file)) {
        Files.copy(in, FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    if (!Files.exists(FOLDER.resolve("node_modules/pg-boss"))) {
      Process npm =
          new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
              .directory(FOLDER.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (npm.waitFor() != 0) {
        throw new IllegalStateException("npm install ended with " + npm.exitValue());
      }
    }
  }

  @Override
  void run(Trial trial, HikariDataSource pool, CountDownLatch all) throws Exception {
    URI jdbc = URI.create(trial.database().substring("jdbc:".length()));
    String url = "postgres://postgres@127.0.0.1:%d%s".formatted(jdbc.getPort(), jdbc.getPath());
    ProcessBuilder builder =
        new ProcessBuilder(
            "node",
            script,
            url,
            Integer.toString(trial.messages()),
            Boolean.toString(trial.inserts()));
    builder.environment().put("NO_LOG_SUCCESS", "1");
    Process node =
        builder
            .directory(FOLDER.toFile())
            .redirectError(FOLDER.resolve("error.log").toFile())
            .start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8))) {
      await(out, "ready");
      trial.measureElsewhere(
          () -> {
            node.getOutputStream().write('\n');
            node.getOutputStream().flush();
            await(out, "done");
          });
    } finally {
      node.destroyForcibly();
    }
  }

  private void await(BufferedReader out, String expected) throws IOException {
    String line = out.readLine();
    while (line != null && !line.equals(expected)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IllegalStateException(
          "%s ended: %s".formatted(name(), Files.readString(FOLDER.resolve("error.log"))));
    }
  }
}
