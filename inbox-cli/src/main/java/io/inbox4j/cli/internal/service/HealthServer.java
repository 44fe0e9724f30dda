package io.inbox4j.cli.internal.service;

import io.inbox4j.cli.internal.terminal.Output;
import io.inbox4j.error.InboxException;
import io.inbox4j.listener.Health;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves the worker's health and metrics: {@code /health/live}, {@code /health/ready} and {@code
 * /metrics}. It is read-only.
 */
public final class HealthServer implements AutoCloseable {

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /**
   * Limits concurrent scrapes, which collect from everywhere and may be slow; health waits for
   * nothing.
   */
  static final int MAX_SCRAPES = 4;

  private static final String JSON = "application/json";

  /** The content type of Prometheus text. */
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

  private final WorkerService worker;
  private final Supplier<String> metrics;
  private final boolean details;
  private final Semaphore scrapes = new Semaphore(MAX_SCRAPES);
  private final HttpListener listener;

  private HealthServer(
      InetSocketAddress address,
      Duration deadline,
      boolean details,
      WorkerService worker,
      Supplier<String> metrics)
      throws IOException {
    this.worker = worker;
    this.metrics = metrics;
    this.details = details;
    this.listener = HttpListener.start(address, deadline, this::answer);
  }

  /**
   * Serves health and metrics until it is closed.
   *
   * @param details whether to include the details of each component, which may quote a server's
   *     messages
   */
  public static HealthServer start(
      InetSocketAddress address, boolean details, WorkerService worker, Supplier<String> metrics) {
    return start(address, DEADLINE, details, worker, metrics);
  }

  static HealthServer start(
      InetSocketAddress address,
      Duration deadline,
      boolean details,
      WorkerService worker,
      Supplier<String> metrics) {
    try {
      return new HealthServer(address, deadline, details, worker, metrics);
    } catch (IOException e) {
      throw new InboxException(
          "%s port %d cannot be served on: %s; choose others with --http-address and --http-port"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
  }

  /** The address on which it is served. */
  public InetSocketAddress address() {
    return listener.address();
  }

  private HttpAnswer answer(HttpRequest request) {
    return switch (request.path()) {
      case "/health/live" -> request.isRead() ? health(worker.isAlive()) : HttpAnswer.of(405);
      case "/health/ready" -> request.isRead() ? health(worker.isReady()) : HttpAnswer.of(405);
      case "/metrics" -> request.isRead() ? metrics() : HttpAnswer.of(405);
      default -> HttpAnswer.of(404);
    };
  }

  private HttpAnswer health(boolean isWell) {
    Health health = worker.health();
    return new HttpAnswer(
        isWell ? 200 : 503,
        JSON,
        Output.json(
            Output.object(
                "status",
                health.status().name(),
                "parts",
                health.parts().stream().map(this::json).toList())));
  }

  private Map<String, @Nullable Object> json(Health.Part part) {
    Map<String, @Nullable Object> all =
        Output.object(
            "name", part.name(),
            "endpoint", part.endpoint(),
            "status", part.status().name());
    if (details) {
      all.put("detail", part.detail());
    }
    all.put("since", part.since().toString());
    return all;
  }

  private HttpAnswer metrics() {
    if (!scrapes.tryAcquire()) {
      return HttpAnswer.of(503);
    }
    try {
      return new HttpAnswer(200, METRICS, metrics.get());
    } finally {
      scrapes.release();
    }
  }

  @Override
  public void close() {
    listener.close();
  }
}
