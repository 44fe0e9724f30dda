package io.inbox4j.cli;

import static io.inbox4j.cli.Tables.BILLING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.inbox4j.InboxBuilder;
import io.inbox4j.cli.application.InboxApplication;
import io.inbox4j.event.MessageIds;
import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker as a process, on a real broker and a real database. */
@Timeout(240)
@Tag("slow")
class WorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final int TERMINATED = 128 + 15;
  private static final int ORDERS = 800;

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private static PostgresServer server;

  @BeforeAll
  static void startServer() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void aWorkerThatIsToldToEndUnderLoadLeavesTheRestToTheNext() throws Exception {
    String url = server.newDatabase();
    Jdbi jdbi = Jdbi.create(url);
    jdbi.useHandle(handle -> handle.execute("CREATE TABLE effects (n integer)"));
    try (ChildProcess worker = start(url, "--role", "all")) {
      int port = port(worker);
      awaitCode(port, "/health/ready", 200);
      publish();
      await().atMost(PATIENCE).until(() -> effects(jdbi) > 100);
      assertThat(get(port, "/metrics").body())
          .contains("inbox_messages_processed_total", "jvm_memory_used_bytes", BILLING);
      assertThat(get(port, "/nothing").statusCode()).isEqualTo(404);
      assertThat(get(port, "/health/live/more").statusCode()).isEqualTo(404);
      long began = System.nanoTime();
      worker.terminate();
      assertThat(worker.exitCode(DEADLINE.plusSeconds(20))).isEqualTo(TERMINATED);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(DEADLINE.plusSeconds(10));
      assertThat(worker.lines()).anyMatch(line -> line.contains("The inbox is closed."));
      assertThat(worker.lines()).filteredOn(line -> line.contains("Running ")).hasSize(1);
    }
    assertThat(effects(jdbi)).isLessThan(ORDERS);
    try (ChildProcess next = start(url, "--role", "all")) {
      await().atMost(PATIENCE).until(() -> effects(jdbi) >= ORDERS);
      assertThat(count(jdbi, "SELECT count(*) FROM effects")).isEqualTo(ORDERS);
      assertThat(count(jdbi, "SELECT count(DISTINCT n) FROM effects")).isEqualTo(ORDERS);
      next.terminate();
      assertThat(next.exitCode(DEADLINE.plusSeconds(20))).isEqualTo(TERMINATED);
    }
  }

  @Test
  void healthFollowsADatabaseThatIsAwayAtTheStartAndFrozenLater() throws Exception {
    String url = server.newDatabase();
    server.kill9();
    try (ChildProcess worker = start(url, "--role", "process", "--http-details=true")) {
      int port = port(worker);
      awaitCode(port, "/health/ready", 503);
      assertThat(get(port, "/health/ready").body())
          .contains("\"name\":\"start\"", "\"status\":\"DOWN\"", "does not answer");
      assertThat(get(port, "/health/live").statusCode()).isEqualTo(200);
      worker.awaitLine(line -> line.contains("Not started, trying again"), PATIENCE);
      server.restart();
      awaitCode(port, "/health/ready", 200);
      server.freeze();
      try {
        awaitCode(port, "/health/ready", 503);
        assertThat(get(port, "/health/ready").body())
            .contains("{\"name\":\"database\",\"endpoint\":null,\"status\":\"DOWN\"");
        assertThat(get(port, "/health/live").statusCode()).isEqualTo(200);
      } finally {
        server.unfreeze();
      }
      awaitCode(port, "/health/ready", 200);
      worker.terminate();
      assertThat(worker.exitCode(DEADLINE.plusSeconds(20))).isEqualTo(TERMINATED);
    } finally {
      if (!server.isRunning()) {
        server.restart();
      }
    }
  }

  @Test
  void anApplicationThatNoFileNamesIsNamedOnTheCommandLine() {
    String name = NamedApplication.class.getName();
    try (ChildProcess worker =
        start(server.newDatabase(), "--role", "process", "--application", name)) {
      String line = worker.awaitLine(it -> it.contains("Running "), PATIENCE);
      assertThat(line).contains(name, "named.orders");
      awaitCode(port(worker), "/health/ready", 200);
    }
  }

  /** In no file of META-INF/services. */
  public static final class NamedApplication implements InboxApplication {

    @Override
    public void configure(InboxBuilder inbox) {
      inbox.subscribe("named.orders", OrderPlaced.class, (event, context) -> {});
    }
  }

  @Test
  void whatCannotBeWaitedForEndsTheProcess() {
    Cli.Result noTables =
        Cli.process(
            "run",
            "--jdbc",
            server.newDatabase(),
            "--role",
            "process",
            "--migrate=false",
            "--http-port=0");
    assertThat(noTables.code()).isEqualTo(1);
    assertThat(noTables.err()).contains("the tables of the inbox are missing");
    Cli.Result noBroker = Cli.here("run", "--jdbc", "jdbc:postgresql://localhost:1/x");
    assertThat(noBroker.code()).isEqualTo(2);
    assertThat(noBroker.err()).contains("--amqp-uri");
  }

  private static ChildProcess start(String url, String... options) {
    String[] all = new String[options.length + 3];
    all[0] = "run";
    all[1] = "--close-deadline";
    all[2] = "10s";
    System.arraycopy(options, 0, all, 3, options.length);
    return ChildProcess.start(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        Map.of(
            "INBOX_DATABASE_URL",
            url,
            "INBOX_AMQP_URI",
            RabbitServer.shared().uri(),
            "INBOX_HTTP_PORT",
            "0"),
        InboxCommand.class,
        all);
  }

  private static int port(ChildProcess worker) {
    String line =
        worker.awaitLine(it -> it.contains("health and metrics on 127.0.0.1 port"), PATIENCE);
    return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
  }

  private static void awaitCode(int port, String path, int code) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> get(port, path).statusCode() == code);
  }

  private static HttpResponse<String> get(int port, String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static long effects(Jdbi jdbi) {
    return count(jdbi, "SELECT count(*) FROM effects");
  }

  private static long count(Jdbi jdbi, String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  private static void publish() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.shared().uri());
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      for (int n = 0; n < ORDERS; n++) {
        channel.basicPublish(
            "",
            BILLING,
            new BasicProperties.Builder()
                .messageId(MessageIds.of("order", n).toString())
                .type("order-placed")
                .contentType("application/json")
                .deliveryMode(2)
                .build(),
            "{\"order\":%d}".formatted(n).getBytes(StandardCharsets.UTF_8));
      }
      channel.waitForConfirmsOrDie(60_000);
    }
  }
}
