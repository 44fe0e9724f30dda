package io.inbox4j.worker.internal.service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.inbox4j.InboxException;
import io.inbox4j.operations.Health;
import io.inbox4j.worker.internal.terminal.Output;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Tells those who ask how the worker is: {@code /health/live}, {@code /health/ready} and {@code
 * /metrics}. Nothing can be changed through it, and nothing that it says is private.
 */
public final class HealthServer implements AutoCloseable {

  private static final int THREADS = 2;
  private static final String JSON = "application/json";

  /** As Prometheus knows its text. */
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads;

  private HealthServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  public static HealthServer start(int port, Worker worker, Supplier<String> metrics) {
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(port), 0);
    } catch (IOException e) {
      throw new InboxException(
          "the port %d cannot be served on: %s; choose another with --http-port"
              .formatted(port, e.getMessage()),
          e);
    }
    ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "inbox-http");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext(
        "/health/live",
        exchange -> answer(exchange, worker.isAlive() ? 200 : 503, JSON, json(worker.health())));
    server.createContext(
        "/health/ready",
        exchange -> answer(exchange, worker.isReady() ? 200 : 503, JSON, json(worker.health())));
    server.createContext("/metrics", exchange -> answer(exchange, 200, METRICS, metrics.get()));
    server.start();
    return new HealthServer(server, threads);
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, int code, String type, String text)
      throws IOException {
    try (exchange) {
      boolean known =
          exchange.getRequestURI().getPath().equals(exchange.getHttpContext().getPath());
      boolean reads = exchange.getRequestMethod().matches("GET|HEAD");
      byte[] body = (known && reads ? text : "").getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      boolean hasBody = body.length > 0 && exchange.getRequestMethod().equals("GET");
      exchange.sendResponseHeaders(!known ? 404 : reads ? code : 405, hasBody ? body.length : -1);
      if (hasBody) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private static String json(Health health) {
    return Output.json(
        Output.object(
            "status",
            health.status().name(),
            "parts",
            health.parts().stream()
                .map(
                    part ->
                        Output.object(
                            "name", part.name(),
                            "endpoint", part.endpoint(),
                            "status", part.status().name(),
                            "detail", part.detail(),
                            "since", part.since()))
                .toList()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
