package io.inbox4j.cli.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.inbox4j.Inbox;
import io.inbox4j.cli.internal.options.DurationText;
import io.inbox4j.cli.internal.options.WorkerOptions;
import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.jdbi.JdbiInboxStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

@Timeout(60)
class HealthServerTest {

  /** What a probe waits for at most; far less than a client may take. */
  private static final int PATIENCE_MILLIS = 20_000;

  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n";

  private record OrderPlaced(UUID messageId) implements IntegrationEvent {}

  private final Inbox inbox =
      Inbox.builder()
          .store(JdbiInboxStore.create(new PGSimpleDataSource()))
          .subscribe("billing.orders", OrderPlaced.class, (event, context) -> {})
          .build();
  private final WorkerService worker =
      new WorkerService(inbox, WorkerOptions.Role.PROCESS, "a test", () -> {});
  private final List<Socket> clients = new ArrayList<>();
  private HealthServer server = start(LONG, false, () -> "up 1\n");

  private HealthServer start(Duration deadline, boolean details, Supplier<String> metrics) {
    return HealthServer.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        deadline,
        details,
        worker,
        metrics);
  }

  private void restart(Duration deadline, boolean details, Supplier<String> metrics) {
    server.close();
    server = start(deadline, details, metrics);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    server.close();
    inbox.close();
  }

  @Test
  void anyNumberOfClientsThatSayNothingOrHalfOfItHarmNobody() throws Exception {
    for (int n = 0; n < 5 * HttpListener.MAX_CONNECTIONS; n++) {
      connect(n % 2 == 0 ? "" : "GET /health/live HTTP/1.1\r\n");
      if (n % 20 == 0) {
        assertThat(ask(LIVE)).startsWith("HTTP/1.1 200 OK\r\n");
      }
    }
    assertThat(ask(LIVE)).startsWith("HTTP/1.1 200 OK\r\n");
  }

  @Test
  void clientsThatDoNotReadTheirAnswerHarmNobody() throws Exception {
    String much = "x 1\n".repeat(4 << 20);
    restart(LONG, false, () -> much);
    for (int n = 0; n < 4; n++) {
      connect("GET /metrics HTTP/1.1\r\n\r\n");
    }
    assertThat(ask(LIVE)).startsWith("HTTP/1.1 200 OK\r\n");
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n")).endsWith("x 1\n");
  }

  @Test
  void aClientThatTakesTooLongIsLeft() throws Exception {
    restart(Duration.ofMillis(300), false, () -> "");
    assertThat(read(connect("GET /health"))).isEmpty();
  }

  @Test
  void metricsThatHangDoNotHoldUpHealth() throws Exception {
    CountDownLatch begun = new CountDownLatch(HealthServer.MAX_SCRAPES);
    CountDownLatch end = new CountDownLatch(1);
    restart(
        LONG,
        false,
        () -> {
          begun.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return "late 1\n";
        });
    List<Socket> waiting = new ArrayList<>();
    for (int n = 0; n < HealthServer.MAX_SCRAPES; n++) {
      waiting.add(connect("GET /metrics HTTP/1.1\r\n\r\n"));
    }
    begun.await();
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 503 ");
    assertThat(ask(LIVE)).startsWith("HTTP/1.1 200 OK\r\n");
    end.countDown();
    for (Socket client : waiting) {
      assertThat(read(client)).endsWith("late 1\n");
    }
  }

  @Test
  void whatWasSeenOfAPartIsShownOnRequestOnly() throws Exception {
    String ready = "GET /health/ready?verbose HTTP/1.1\r\n\r\n";
    assertThat(ask(ready))
        .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
        .contains("\"name\":\"start\",\"endpoint\":null,\"status\":\"DOWN\",\"since\":")
        .doesNotContain("detail", "waits for");
    restart(LONG, true, () -> "");
    assertThat(ask(ready)).contains("\"detail\":\"waits for the database\"");
  }

  @Test
  void onlyWhatIsServedIsAnswered() throws Exception {
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n")
        .contains("Content-Length: 5\r\n")
        .endsWith("\r\n\r\nup 1\n");
    assertThat(ask("HEAD /metrics HTTP/1.0\r\n\r\n"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("Content-Length: 5\r\n")
        .endsWith("\r\n\r\n");
    assertThat(ask("GET /health/live/more HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ");
    assertThat(ask("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
        .startsWith("HTTP/1.1 405 ")
        .contains("Allow: GET, HEAD\r\n");
    assertThat(ask("what is this\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(ask("GET /metrics HTTP/1.1\r\nX: " + "y".repeat(9_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
  }

  @Test
  void aFailureIsAnsweredAndTheNextRequestToo() throws Exception {
    restart(
        LONG,
        false,
        () -> {
          throw new AssertionError("a gauge");
        });
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 500 ");
    assertThat(ask("GET /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 500 ");
    assertThat(ask(LIVE)).startsWith("HTTP/1.1 200 OK\r\n");
  }

  @Test
  void onlyThisMachineGetsItUnlessToldOtherwise() {
    assertThat(options().httpAddress().getAddress().isLoopbackAddress()).isTrue();
    assertThat(options("--http-address", "0.0.0.0").httpAddress().getAddress().isAnyLocalAddress())
        .isTrue();
  }

  private static WorkerOptions options(String... args) {
    WorkerOptions options = new WorkerOptions();
    CommandSpec command = CommandSpec.create();
    command.addMixin("options", CommandSpec.forAnnotatedObject(options));
    new CommandLine(command).registerConverter(Duration.class, new DurationText()).parseArgs(args);
    return options;
  }

  private Socket connect(String request) throws IOException {
    Socket client = new Socket();
    clients.add(client);
    client.connect(server.address(), PATIENCE_MILLIS);
    client.setSoTimeout(PATIENCE_MILLIS);
    client.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    return client;
  }

  private String ask(String request) throws IOException {
    return read(connect(request));
  }

  private static String read(Socket client) throws IOException {
    try (InputStream in = client.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketException e) { // it was closed before all that was sent was read
      return "";
    }
  }
}
